import { ApplicationFailure, proxyActivities } from '@temporalio/workflow'
import type { ControlActivities } from '../../activities/index.ts'
import type { WriteCommentInput } from './contract.ts'

// A provider may be away for hours: what waits for it goes on when it is back.
const { writeComment } = proxyActivities<ControlActivities>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '15 seconds',
  scheduleToCloseTimeout: '1 day',
  retry: { initialInterval: '500 ms', maximumInterval: '1 minute' },
})

/** Brings the one comment on a pull request up to date. A host that takes none ends it: the plan is here all the same. */
export async function writePullRequestComment(input: WriteCommentInput): Promise<void> {
  // An input that was not ours was dropped on its way here (worker/drop-unmarked.ts).
  if (!Number.isSafeInteger((input as Partial<WriteCommentInput> | undefined)?.pullRequestId))
    throw ApplicationFailure.nonRetryable('refused: the input is not ours', 'bad_input')
  await writeComment(input)
}
