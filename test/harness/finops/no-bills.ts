import type { Deps } from '../../../activities/deps.ts'

/** What activities of runs and of Git have of bills: they read none. */
export const noBills: Pick<Deps, 'billingDir' | 'billBytes' | 'readBills'> = {
  billingDir: '/nowhere',
  billBytes: 0,
  readBills: async () => {
    throw new Error('No bill is read here.')
  },
}
