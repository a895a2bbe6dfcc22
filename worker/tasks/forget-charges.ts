import type { Deps } from '../../activities/deps.ts'
import { eachByItself } from '../../app/platform/each-by-itself.ts'
import { isLockTimeout } from '../../store/driver/connect.ts'
import { limitLockWaits } from '../../store/driver/limit-lock-waits.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { forgetCharges, forgetSource } from '../../store/finops/forget-charges.ts'
import { forgettableBills, type ForgettableBill } from '../../store/platform/forgettable-bills.ts'
import type { RecurringTask } from '../run-tasks.ts'

const maxBills = 100
const task = 'forget-charges'
/** A load holds its slice for minutes. */
const lockTimeoutMs = 1_000

/**
 * Deletes the charges of slices that were replaced, and sources that were removed: of each a part in a run,
 * so that no statement holds locks for long and no organization waits for another's million rows.
 */
export const forgetChargesTask = ({ store, log }: Pick<Deps, 'store' | 'log'>): RecurringTask => ({
  name: task,
  everyMs: 10_000,
  async run() {
    let isMore = false
    await eachByItself(await forgettableBills(store.platform, maxBills), {
      task,
      log,
      work: async (bill) => {
        const forgetting = store.tenant(bill.organizationId, async (tenant) => forget(tenant, bill))
        const outcome = await forgetting.catch((error: unknown) => {
          if (isLockTimeout(error)) return 'wait'
          throw error
        })
        if (outcome === 'more') isMore = true
      },
    })
    return isMore ? 'more' : 'done'
  },
})

async function forget(tenant: Tenant, bill: ForgettableBill): Promise<'more' | 'wait' | 'done'> {
  await limitLockWaits(tenant, lockTimeoutMs)
  return bill.kind === 'slice'
    ? forgetCharges(tenant, bill.sliceId)
    : forgetSource(tenant, bill.sourceId)
}
