import { proxyActivities } from '@temporalio/workflow'
import type { ControlActivities } from '../../activities/index.ts'

const { checkConnections } = proxyActivities<ControlActivities>({
  startToCloseTimeout: '10 minutes',
  retry: { maximumAttempts: 2 },
})

/** As a schedule of earlier versions started it: here so that their histories replay. A worker task does it now. */
export async function checkGitConnections(): Promise<void> {
  await checkConnections()
}
