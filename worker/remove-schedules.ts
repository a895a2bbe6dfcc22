import { ScheduleNotFoundError, type Client } from '@temporalio/client'
import { checkConnectionsScheduleId } from '../workflows/git/contract.ts'
import { reconcileScheduleId } from '../workflows/platform/contract.ts'

/**
 * Takes away the schedules of earlier versions, whose housekeeping was a workflow every 20 seconds:
 * 4,320 lines a day among the runs in Temporal's UI (docs/decisions/0122-housekeeping-beside-temporal.md).
 */
export async function removeSchedules(client: Client): Promise<void> {
  for (const id of [reconcileScheduleId, checkConnectionsScheduleId])
    try {
      await client.schedule.getHandle(id).delete()
    } catch (error) {
      if (!(error instanceof ScheduleNotFoundError)) throw error
    }
}
