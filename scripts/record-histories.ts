import { startVitest } from 'vitest/node'

/**
 * Records test/histories/*.json anew, with real engines and a real worker. To be run when a
 * workflow has changed on purpose and no run of before can be under way any more; as long as one
 * can, the old histories stay and the change is made behind `patched()` (temporal.md 8).
 */
const vitest = await startVitest('test', [], {
  run: true,
  include: ['test/histories/record-histories.ts'],
})
await vitest.close()
