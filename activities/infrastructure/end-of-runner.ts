import type { Applied } from '../../gateways/runner/protocol.ts'
import type { RunEnd } from '../../app/runs/end-run.ts'
import type { StopCause } from './watch-run.ts'
import { JobFailure } from '../../gateways/runner/job-failure.ts'

/** The end of a run whose runner needed more memory than its limit. */
export const memoryExceeded = (): JobFailure =>
  new JobFailure(
    'memory_exceeded',
    'The plan needed more memory to be read and judged than a run may use. Split the workspace into smaller ones, or have an operator raise CC_RUNNER_MEMORY_MB.',
  )

/** The end of an apply, from how its last step ended and why it was stopped. */
export function endOfApply(
  { how, limit, exitCode, message }: Applied,
  cause: StopCause | undefined,
): RunEnd {
  if (cause === 'canceled')
    return {
      phase: 'failed',
      reason: 'canceled_by_user',
      message: 'Canceled while it was applied: something may have changed.',
    }
  if (how === 'timed_out' || how === 'silent')
    return {
      phase: 'failed',
      reason: 'timed_out',
      message:
        how === 'silent'
          ? 'The apply said nothing for 10 minutes and was stopped.'
          : 'The apply took longer than an apply may take and was stopped.',
    }
  if (exitCode === 0) return { phase: 'succeeded' }
  const reason = limit === 'memory' ? 'memory_exceeded' : 'apply_errored'
  return { phase: 'failed', reason, ...(message && { message }) }
}
