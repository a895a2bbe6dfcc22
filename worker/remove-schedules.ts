import { ScheduleNotFoundError, type Client } from '@temporalio/client'
import { checkConnectionsScheduleId } from '../workflows/git/contract.ts'
import { reconcileScheduleId } from '../workflows/platform/contract.ts'

/**
 * Deletes the Temporal schedules of earlier versions. They ran housekeeping as workflows: 4,320 entries
 * a day between the runs in Temporal's UI (docs/decisions/0122-housekeeping-beside-temporal.md).
 */
export async function removeSchedules(client: Client): Promise<void> {
  for (const id of [reconcileScheduleId, checkConnectionsScheduleId])
    try {
      await client.schedule.getHandle(id).delete()
    } catch (error) {
      if (!(error instanceof ScheduleNotFoundError)) throw error
    }
}
