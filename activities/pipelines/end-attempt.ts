import { AppError } from '../../domain/errors.ts'
import { JobFailure } from '../../gateways/runner/job-failure.ts'
import { RunnerLost } from '../../gateways/runner/supervise-job.ts'
import { endApplicationRun } from '../../app/runs/end-application-run.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { systemActor } from '../../store/audit/audit-log.ts'
import { applicationAttempts } from '../../store/runs/application-attempts.ts'
import { lockApplication } from '../../store/runs/move-application.ts'
import type { Deps } from '../deps.ts'
import { GivenUp } from '../guard-activity.ts'
import { retryWhileUnavailable } from '../retry-while-unavailable.ts'
import { maxBegun, type Attempt } from './begin-attempt.ts'
import { RunFault } from './run-fault.ts'

/**
 * What follows from an attempt that failed: the end of the run where its author can mend it, else the error,
 * for Temporal to try again. An attempt of a run that is over writes nothing, nor does one after which another was
 * begun: Temporal gave it up, and this worker may not know that yet.
 */
export async function endAttempt(
  deps: Pick<Deps, 'store'>,
  attempt: Attempt,
  error: unknown,
): Promise<void> {
  const { organizationId, runId, step, log, mask, watch, begun } = attempt
  if (watch.cause() === 'over') return
  const fault = watch.cause() === undefined ? faultOf(error, step) : undefined
  if (fault) {
    const { level, reason, missing } = fault
    const inStore = async <T>(work: (tenant: Tenant) => Promise<T>): Promise<T> =>
      retryWhileUnavailable(async () => deps.store.tenant(organizationId, work))
    const isLate = async (tenant: Tenant) =>
      !(await applicationAttempts(tenant, runId).isNewest(step, begun))
    if (await inStore(isLate)) return
    // Names of files and of steps are the author's.
    const [message = '', ...lines] = await mask.lines([fault.message, ...fault.lines])
    await log.append([...lines.map((line) => ({ level, line })), { level: 'error', line: message }])
    await inStore(async (tenant) => {
      // Attempts are counted under this lock.
      await lockApplication(tenant, runId)
      if (await isLate(tenant)) return
      await endApplicationRun(
        tenant,
        { runId, actor: systemActor, from: [step === 'source' ? 'sourcing' : 'building'] },
        { phase: 'failed', reason, message, ...(missing && { missing }) },
      )
    })
    return
  }
  const isAway = error instanceof AppError
  if (isAway && watch.cause() === undefined) {
    const [line = ''] = await mask.lines([`${error.message} It is tried again.`])
    await log.append([{ level: 'warn', line }]).catch(() => undefined)
  }
  // A worker that is told to stop, or a host that does not answer, was not lost: the attempt is not counted,
  // if the store can be reached to say so.
  if (isAway || watch.cause() === 'lost')
    await deps.store
      .tenant(organizationId, async (tenant) =>
        applicationAttempts(tenant, runId).forget(step, begun),
      )
      .catch(() => undefined)
  else if (begun >= maxBegun) throw new GivenUp(error)
  throw error
}

function faultOf(error: unknown, step: Attempt['step']): RunFault | undefined {
  const reason = step === 'source' ? 'source_errored' : 'build_errored'
  if (error instanceof RunFault) return error
  if (error instanceof JobFailure) return new RunFault(error.reason, error.message)
  if (error instanceof RunnerLost && error.how === 'memory_exceeded')
    return new RunFault('memory_exceeded', 'The log of the build needed more memory than it has.')
  // What the service says of the author's repository. The work folder's own name is none of theirs.
  if (error instanceof AppError && error.fault !== 'unavailable')
    return new RunFault(reason, error.message.replace(/^source\//, ''))
  return undefined
}
