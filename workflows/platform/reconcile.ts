import { proxyActivities } from '@temporalio/workflow'
import type { ControlActivities } from '../../activities/index.ts'

const { reconcileRuns } = proxyActivities<ControlActivities>({
  startToCloseTimeout: '2 minutes',
  retry: { maximumAttempts: 3 },
})

/** Runs on a schedule, so that what a crash left open is settled within a minute. */
export async function reconcile(): Promise<void> {
  await reconcileRuns()
}
