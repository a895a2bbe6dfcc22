import { proxyActivities } from '@temporalio/workflow'
import type { ControlActivities } from '../../activities/index.ts'

const { reconcileRuns } = proxyActivities<ControlActivities>({
  startToCloseTimeout: '2 minutes',
  retry: { maximumAttempts: 3 },
})

/** As a schedule of earlier versions started it: here so that their histories replay. A worker task does it now. */
export async function reconcile(): Promise<void> {
  await reconcileRuns()
}
