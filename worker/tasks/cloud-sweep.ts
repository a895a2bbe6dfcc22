import type { Deps } from '../../activities/deps.ts'
import { endSync } from '../../app/clouds/end-sync.ts'
import { startSync } from '../../app/clouds/start-sync.ts'
import { tellOfHealth } from '../../app/clouds/tell-of-health.ts'
import { eachByItself } from '../../app/platform/each-by-itself.ts'
import { syncPlans } from '../../store/clouds/sync-plans.ts'
import { dueCloudAccounts, longCloudSyncs } from '../../store/platform/due-cloud-accounts.ts'
import { untoldAccounts } from '../../store/platform/untold-accounts.ts'
import { syncAccountId } from '../../workflows/clouds/contract.ts'
import type { RecurringTask } from '../run-tasks.ts'

type Needed = Pick<Deps, 'store' | 'log' | 'workflowState'>

/** The limit of one run. */
const maxRows = 100
const task = 'cloud-sweep'

/**
 * Starts the syncs that are due, ends those whose workflow is lost, and announces
 * accounts that need attention or are well again. A task of each worker and no
 * schedule of Temporal: it has to work while Temporal is away, and reads all organizations
 * (docs/decisions/0122).
 */
export const cloudSweepTask = (deps: Needed): RecurringTask => ({
  name: task,
  everyMs: 15_000,
  async run() {
    // A step that fails must not keep the others from their work: mails go out while Temporal is away.
    const steps = await Promise.allSettled([
      startAllDue(deps),
      endAllLost(deps),
      tellAllHealth(deps),
    ])
    const failed = steps.find((step) => step.status === 'rejected')
    if (failed) throw failed.reason
    return isFull(steps[0]) ? 'more' : 'done'
  },
})

const isFull = (step: PromiseSettledResult<number>): boolean =>
  step.status === 'fulfilled' && step.value === maxRows

async function startAllDue(deps: Needed): Promise<number> {
  const due = await dueCloudAccounts(deps.store.platform, maxRows)
  await eachByItself(due, { task, log: deps.log, work: async (row) => startDue(deps, row) })
  return due.length
}

async function tellAllHealth(deps: Needed): Promise<number> {
  const { store, log } = deps
  const untold = await untoldAccounts(store.platform, maxRows)
  await eachByItself(untold, {
    task,
    log,
    work: async ({ organizationId, cloudAccountId }) =>
      store.tenant(organizationId, async (tenant) => tellOfHealth(tenant, cloudAccountId)),
  })
  return untold.length
}

async function endAllLost(deps: Needed): Promise<void> {
  const long = await longCloudSyncs(deps.store.platform, maxRows)
  await eachByItself(long, { task, log: deps.log, work: async (row) => endLost(deps, row) })
}

async function startDue(
  { store }: Needed,
  { organizationId, cloudAccountId }: { organizationId: number; cloudAccountId: number },
): Promise<void> {
  await store.tenant(organizationId, async (tenant) => {
    const account = await syncPlans(tenant).findForUpdate(cloudAccountId)
    // Disconnected since, or started by another worker.
    if (!account || account.nextSyncAt > new Date()) return
    await startSync(tenant, { cloudAccountId, trigger: 'schedule' })
  })
}

/** Otherwise the account would wait for it without end. */
async function endLost(
  { store, workflowState }: Needed,
  row: { organizationId: number; syncId: number },
): Promise<void> {
  if ((await workflowState(syncAccountId(row))) === 'running') return
  await store.tenant(row.organizationId, async (tenant) =>
    endSync(tenant, { syncId: row.syncId, failure: 'sync_lost' }),
  )
}
