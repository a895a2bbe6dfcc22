import { ApplicationFailure, proxyActivities } from '@temporalio/workflow'
import type { ControlActivities } from '../../activities/index.ts'
import type { WriteCommentInput } from './contract.ts'

// A provider may be down for hours, so this is retried for days.
const { writeComment } = proxyActivities<ControlActivities>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '15 seconds',
  scheduleToCloseTimeout: '1 day',
  retry: { initialInterval: '500 ms', maximumInterval: '1 minute' },
})

/** Updates the one comment on a pull request. If the host refuses it, the plan is still shown here. */
export async function writePullRequestComment(input: WriteCommentInput): Promise<void> {
  // A payload without our MAC was dropped before it got here (worker/drop-unmarked.ts).
  if (!Number.isSafeInteger((input as Partial<WriteCommentInput> | undefined)?.pullRequestId))
    throw ApplicationFailure.nonRetryable('refused: the input is not ours', 'bad_input')
  await writeComment(input)
}
