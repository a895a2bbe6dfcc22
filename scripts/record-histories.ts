import { startVitest } from 'vitest/node'

/**
 * Records test/histories/*.json again, with real engines and a real worker. Run it when a workflow
 * has changed on purpose and no run of before can be under way. As long as one can, keep the old
 * histories and put the change behind `patched()` (docs/temporal.md).
 * An argument selects the files of that name: `node scripts/record-histories.ts record-git`.
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
