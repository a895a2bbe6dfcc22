import { ScheduleAlreadyRunning, type Client } from '@temporalio/client'
import { checkConnectionsScheduleId, checkConnectionsType } from '../workflows/git/contract.ts'
import { controlQueue, reconcileScheduleId, reconcileType } from '../workflows/platform/contract.ts'

const schedules = [
  // Often enough that everything is settled within a minute of recovery.
  {
    id: reconcileScheduleId,
    workflowType: reconcileType,
    workflowId: 'platform/reconcile',
    everySeconds: 20,
  },
  // Each pass asks for those that nobody has asked for ten minutes.
  {
    id: checkConnectionsScheduleId,
    workflowType: checkConnectionsType,
    workflowId: 'platform/git-health',
    everySeconds: 60,
  },
] as const

/** Makes the schedules, or brings those that are there to today's form. */
export async function ensureSchedules(client: Client): Promise<void> {
  for (const schedule of schedules) await ensureSchedule(client, schedule)
}

async function ensureSchedule(
  client: Client,
  { id, workflowType, workflowId, everySeconds }: (typeof schedules)[number],
): Promise<void> {
  const spec = { intervals: [{ every: everySeconds * 1_000 }] }
  const policies = { overlap: 'SKIP', catchupWindow: '1 minute' } as const
  const action = {
    type: 'startWorkflow',
    workflowType,
    workflowId,
    taskQueue: controlQueue,
    args: [],
  } as const
  try {
    await client.schedule.create({
      scheduleId: id,
      spec,
      policies,
      action: { ...action, args: [] },
    })
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error
    await client.schedule
      .getHandle(id)
      .update((previous) => ({ ...previous, spec, policies, action: { ...action, args: [] } }))
  }
}
