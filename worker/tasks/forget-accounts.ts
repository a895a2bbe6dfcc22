import type { Deps } from '../../activities/deps.ts'
import { eachByItself } from '../../app/platform/each-by-itself.ts'
import { startSync } from '../../app/clouds/start-sync.ts'
import { forgetResources } from '../../store/clouds/forget-resources.ts'
import { isLockTimeout } from '../../store/driver/connect.ts'
import { limitLockWaits } from '../../store/driver/limit-lock-waits.ts'
import { forgottenAccounts } from '../../store/platform/forgotten-accounts.ts'
import type { RecurringTask } from '../run-tasks.ts'

type Needed = Pick<Deps, 'store' | 'log'>

const maxAccounts = 100
const task = 'forget-accounts'
/** A merge that still runs holds its place for minutes. */
const lockTimeoutMs = 1_000

/**
 * Deletes what is known of disconnected accounts: of each a part in a run, so that no statement holds
 * locks for long and no organization waits for another's million resources.
 */
export const forgetAccountsTask = (deps: Needed): RecurringTask => ({
  name: task,
  everyMs: 5_000,
  async run() {
    let isMore = false
    const forgotten = await forgottenAccounts(deps.store.platform, maxAccounts)
    await eachByItself(forgotten, {
      task,
      log: deps.log,
      work: async (row) => {
        if (await forgetPart(deps, row)) isMore = true
      },
    })
    return isMore ? 'more' : 'done'
  },
})

/** True if there is more to delete now. */
async function forgetPart(
  { store }: Needed,
  { organizationId, cloudAccountId }: { organizationId: number; cloudAccountId: number },
): Promise<boolean> {
  const forgetting = store.tenant(organizationId, async (tenant) => {
    await limitLockWaits(tenant, lockTimeoutMs)
    const forgotten = await forgetResources(tenant, cloudAccountId)
    if (typeof forgotten === 'string') return forgotten === 'more'
    // Connected again meanwhile, it waited for this.
    if (forgotten.disconnectedAt === null)
      await startSync(tenant, { cloudAccountId, trigger: 'connect' })
    return false
  })
  return forgetting.catch((error: unknown) => {
    if (isLockTimeout(error)) return false
    throw error
  })
}
