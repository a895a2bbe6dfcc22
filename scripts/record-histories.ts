import { startVitest } from 'vitest/node'

/**
 * Records test/histories/*.json anew, with real engines and a real worker. To be run when a
 * workflow has changed on purpose and no run of before can be under way any more; as long as one
 * can, the old histories stay and the change is made behind `patched()` (temporal.md 8).
 * An argument takes the files of that name alone: `node scripts/record-histories.ts record-git`.
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
