import { removeOldFolders } from '../../activities/finops/bill-folder.ts'
import type { Deps } from '../../activities/deps.ts'
import { endIngest } from '../../app/finops/end-ingest.ts'
import { startIngest } from '../../app/finops/start-ingest.ts'
import { eachByItself } from '../../app/platform/each-by-itself.ts'
import { sliceDecisions } from '../../store/finops/slice-decisions.ts'
import { billingUploads } from '../../store/finops/billing-uploads.ts'
import {
  dueIngests,
  forgetUploads,
  longIngests,
  lostUploads,
  runningIngests,
} from '../../store/platform/due-ingests.ts'
import { ingestBillingId } from '../../workflows/finops/contract.ts'
import type { RecurringTask } from '../run-tasks.ts'

type Needed = Pick<Deps, 'store' | 'log' | 'workflowState' | 'billingDir' | 'billPlaces'>

/** The limit of one run. */
const maxRows = 100
/** Each can have 512 MiB. */
const maxUploads = 2
const task = 'billing-sweep'

/**
 * Starts the ingests that are due, ends those whose workflow is lost, and deletes what uploads and workers
 * left that are gone. A task of each worker and no schedule of Temporal: it has to work while Temporal is
 * away, and reads all organizations (docs/decisions/0138).
 */
export const billingSweepTask = (deps: Needed): RecurringTask => ({
  name: task,
  everyMs: 5_000,
  async run() {
    const { platform } = deps.store
    // A step that fails must not keep the others from their work.
    const steps = await Promise.allSettled([
      startAllDue(deps),
      endAllLost(deps),
      dropLostUploads(deps),
      forgetUploads(platform, maxUploads),
      removeOldFolders(
        deps.billingDir,
        async (ids) => runningIngests(platform, ids),
        (folder) => deps.billPlaces.disk.forget(folder),
      ),
    ])
    const failed = steps.find((step) => step.status === 'rejected')
    if (failed) throw failed.reason
    const [due] = steps
    return due.status === 'fulfilled' && due.value === maxRows ? 'more' : 'done'
  },
})

async function startAllDue({ store, log }: Needed): Promise<number> {
  const due = await dueIngests(store.platform, maxRows)
  await eachByItself(due, {
    task,
    log,
    work: async ({ organizationId, trigger }) =>
      store.tenant(organizationId, async (tenant) => startIngest(tenant, { trigger })),
  })
  return due.length
}

async function endAllLost(deps: Needed): Promise<void> {
  const long = await longIngests(deps.store.platform, maxRows)
  await eachByItself(long, { task, log: deps.log, work: async (row) => endLost(deps, row) })
}

/** Otherwise the organization would wait for it without end. */
async function endLost(
  { store, workflowState }: Needed,
  row: { organizationId: number; ingestId: number },
): Promise<void> {
  if ((await workflowState(ingestBillingId(row))) === 'running') return
  await store.tenant(row.organizationId, async (tenant) => {
    await endIngest(tenant, { ingestId: row.ingestId, failure: 'ingest_lost' })
    await sliceDecisions(tenant).planScoresOf(row.ingestId)
  })
}

async function dropLostUploads({ store, log }: Needed): Promise<void> {
  const lost = await lostUploads(store.platform, maxRows)
  await eachByItself(lost, {
    task,
    log,
    work: async ({ organizationId, uploadId }) =>
      store.tenant(organizationId, async (tenant) => billingUploads(tenant).abandon(uploadId)),
  })
}
