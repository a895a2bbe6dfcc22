import { startVitest } from 'vitest/node'

/**
 * Records test/histories/*.json again, with a real Temporal server and a real worker. Run it after an
 * intended change of a workflow, once no run of the old version can still be open. Until then keep the
 * old histories and put the change behind `patched()` (docs/temporal.md). An argument selects files by
 * name: `node scripts/record-histories.ts record-git`.
 */
const vitest = await startVitest('test', process.argv.slice(2), {
  run: true,
  config: false,
  pool: 'forks',
  include: ['test/histories/record-*.ts'],
  globalSetup: ['test/setup/global-setup.ts'],
  testTimeout: 150_000,
  hookTimeout: 240_000,
})
await vitest.close()
