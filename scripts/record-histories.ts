import { startVitest } from 'vitest/node'

/**
 * Records test/histories/*.json anew, with real engines and a real worker. To be run when a
 * workflow has changed on purpose and no run of before can be under way any more; as long as one
 * can, the old histories stay and the change is made behind `patched()` (temporal.md 8).
 */
const vitest = await startVitest('test', [], {
  run: true,
  config: false,
  pool: 'forks',
  include: ['test/histories/record-histories.ts'],
  globalSetup: ['test/setup/global-setup.ts'],
  testTimeout: 150_000,
  hookTimeout: 240_000,
})
await vitest.close()
