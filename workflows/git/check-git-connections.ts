import { proxyActivities } from '@temporalio/workflow'
import type { ControlActivities } from '../../activities/index.ts'

const { checkConnections } = proxyActivities<ControlActivities>({
  startToCloseTimeout: '10 minutes',
  retry: { maximumAttempts: 2 },
})

/** Runs on a schedule: a token that was revoked is seen before somebody needs it. */
export async function checkGitConnections(): Promise<void> {
  await checkConnections()
}
