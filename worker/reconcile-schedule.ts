import { ScheduleAlreadyRunning, type Client } from '@temporalio/client'
import { controlQueue, reconcileScheduleId, reconcileType } from '../workflows/platform/contract.ts'

/** Often enough that everything is settled within a minute of recovery (runs.md). */
const everySeconds = 20

/** Makes the reconciler's schedule, or brings one that is there to today's form. */
export async function ensureReconcileSchedule(client: Client): Promise<void> {
  const spec = { intervals: [{ every: everySeconds * 1_000 }] }
  const policies = { overlap: 'SKIP', catchupWindow: '1 minute' } as const
  const action = {
    type: 'startWorkflow',
    workflowType: reconcileType,
    workflowId: 'platform/reconcile',
    taskQueue: controlQueue,
    args: [],
  } as const
  try {
    await client.schedule.create({
      scheduleId: reconcileScheduleId,
      spec,
      policies,
      action: { ...action, args: [] },
    })
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error
    await client.schedule
      .getHandle(reconcileScheduleId)
      .update((previous) => ({ ...previous, spec, policies, action: { ...action, args: [] } }))
  }
}
