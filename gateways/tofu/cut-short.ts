import { howKilled, stepMemoryExceeded } from '../../domain/infrastructure/how-killed.ts'
import { JobFailure } from '../runner/job-failure.ts'
import type { StepEnd } from '../sandbox/workbench.ts'

/** Why a step of OpenTofu did not come to an end of its own; undefined where it did, or where its output was cut. */
export function cutShort(end: StepEnd, what: string): JobFailure | undefined {
  if (end.how === 'timed_out')
    return new JobFailure('timed_out', `tofu ${what} took longer than a plan may take.`)
  if (end.how === 'silent')
    return new JobFailure('timed_out', `tofu ${what} said nothing for 10 minutes.`)
  if (end.limit === 'memory') return new JobFailure('memory_exceeded', stepMemoryExceeded(what))
  // By nothing of this service, whose limits say so: the worker makes the plan again.
  if (end.signal === 'SIGKILL' && !end.limit)
    return new JobFailure('runner_lost', `tofu ${what} ${howKilled(end) ?? 'was killed'}.`)
  return undefined
}
