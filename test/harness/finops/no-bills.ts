import type { Deps } from '../../../activities/deps.ts'
import { createBillPlaces } from '../../../activities/finops/bill-places.ts'

/** What activities of runs and of Git have of bills: they read none. */
export const noBills: Pick<Deps, 'billingDir' | 'billBytes' | 'billPlaces' | 'readBills'> = {
  billingDir: '/nowhere',
  billBytes: 0,
  billPlaces: createBillPlaces({ readers: 1, billBytes: 0 }),
  readBills: async () => {
    throw new Error('No bill is read here.')
  },
}
