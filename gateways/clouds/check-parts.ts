import { once } from 'node:events'
import type { AccountCheck, CheckPart } from '../../domain/clouds/cloud-account.ts'
import { AppError } from '../../domain/errors.ts'
import type { Unanswered } from '../../domain/clouds/account-status.ts'
import { runPhases, type LentIdentities, type RunPhase } from '../../domain/clouds/check-runs.ts'
import type { Cloud, CloudDeps, Validation } from './cloud.ts'
import { CloudFault, LateAnswer } from './cloud-fault.ts'
import { bounded } from './within.ts'

/** `unanswered`: the cloud said nothing of the part. */
type PartCheck = AccountCheck & { unanswered?: Unanswered[CheckPart] }
type Ask = () => Promise<PartCheck>
export type Asked = { identity: Ask } & Record<Exclude<CheckPart, 'identity'>, Ask>

/**
 * Asks for all parts at once. Identity decides the outcome: where it fails, the answers of the other parts say
 * nothing of their own.
 */
export async function checkParts(until: AbortSignal, asked: Asked): Promise<Validation> {
  const parts = ['identity', 'inventory', 'billing', 'runs'] as const
  const faults = new Map<CheckPart, CloudFault>()
  const answers = await Promise.all(
    parts.map(async (part) => {
      try {
        return await bounded(asked[part](), until)
      } catch (error) {
        const fault = faultOf(error)
        faults.set(part, fault)
        return checkOf(part, fault)
      }
    }),
  )
  const checks = answers.map(({ unanswered: _, ...check }): AccountCheck => check)
  const unanswered: Unanswered = Object.fromEntries(
    answers.flatMap((answer) => (answer.unanswered ? [[answer.part, answer.unanswered]] : [])),
  )
  const refused = faults.get('identity')
  // The cloud knows who asks, and names what they may not: that is an answer.
  if (!refused || refused.kind === 'denied')
    return { checks, outcome: 'answered', reason: null, unanswered }
  const rest = checks.map((check): AccountCheck =>
    check.part === 'identity' || check.state === 'off'
      ? check
      : { ...check, state: 'failed', reason: 'Not checked without an identity.', missing: [] },
  )
  return {
    checks: rest,
    outcome: refused.kind === 'credentials' ? 'rejected' : 'unreachable',
    reason: refused.message,
    unanswered,
  }
}

/** Only an address that is not allowed is the caller's own mistake, and stays an exception. */
function faultOf(error: unknown): CloudFault {
  if (error instanceof CloudFault) return error
  if (error instanceof AppError && error.fault === 'invalid') throw error
  return new CloudFault('unreachable', 'The cloud did not answer in time, or not as it should.')
}

function checkOf(part: CheckPart, fault: CloudFault): PartCheck {
  const { kind, message, missing } = fault
  // What a service control policy denies is its organization's decision and degrades nothing.
  if (kind === 'excluded') return { part, state: 'ok', reason: message, missing: [] }
  if (kind === 'denied') return { part, state: 'missing', reason: message, missing }
  return { part, state: 'failed', reason: message, missing: [], ...markOf([fault]) }
}

/** Of faults that all say nothing. */
function markOf(faults: readonly CloudFault[]): Pick<PartCheck, 'unanswered'> {
  const why = (fault: CloudFault) =>
    fault.kind === 'throttled' ? 'throttled' : fault instanceof LateAnswer ? 'late' : undefined
  const all = faults.map(why)
  if (all.includes(undefined)) return {}
  return { unanswered: all.includes('late') ? 'late' : 'throttled' }
}

export const okCheck = (part: CheckPart, reason: string | null = null): AccountCheck => ({
  part,
  state: 'ok',
  reason,
  missing: [],
})

export const offCheck = (part: CheckPart, reason: string): AccountCheck => ({
  part,
  state: 'off',
  reason,
  missing: [],
})

type UsedBy = Pick<CloudDeps, 'namesNoWorkspace'>

/**
 * Tries each identity that runs are lent. A cloud that refuses one does not refuse the account: what
 * is missing is a right or a trust. `trust` is the right that such an identity gives to the issuer. An identity may
 * trust one workspace alone, so that its refusal says nothing while there is none to name.
 */
export async function checkLent(
  cloud: Pick<Cloud, 'lend'>,
  runs: LentIdentities | null,
  { trust, signal, deps }: { trust: string[]; signal: AbortSignal; deps: UsedBy },
): Promise<PartCheck> {
  const phases = runPhases.filter((phase) => runs?.[phase] !== undefined)
  if (phases.length === 0) return offCheck('runs', 'Runs are lent no credentials of this account.')
  const results = await Promise.allSettled(
    phases.map(async (phase) => {
      // The part `identity` says whose credentials these are.
      const lent = cloud.lend({ phase, name: 'cloud-control', isOwnerKnown: true, signal })
      return Promise.race([lent, endOf(signal)])
    }),
  )
  const all = phases.flatMap((phase, at) => {
    const result = results[at]
    return result?.status === 'rejected' ? [{ phase, fault: faultOf(result.reason) }] : []
  })
  if (all.length === 0) return okCheck('runs')
  const isRefused = (fault: CloudFault) => ['denied', 'credentials'].includes(fault.kind)
  const isUntried = ({ phase, fault }: { phase: RunPhase; fault: CloudFault }) =>
    isRefused(fault) && deps.namesNoWorkspace?.(phase) === true
  const faults = all.filter((one) => !isUntried(one))
  if (faults.length === 0) return offCheck('runs', all.map(({ phase }) => untried(phase)).join(' '))
  const missing = faults.flatMap(({ fault }) =>
    fault.kind === 'credentials' ? trust : fault.kind === 'denied' ? fault.missing : [],
  )
  return {
    part: 'runs',
    state: faults.every(({ fault }) => isRefused(fault)) ? 'missing' : 'failed',
    reason: faults.map(({ phase, fault }) => `In the ${phase}: ${fault.message}`).join(' '),
    missing: [...new Set(missing)],
    ...markOf(faults.map(({ fault }) => fault)),
  }
}

const untried = (phase: RunPhase): string =>
  `The identity of the ${phase} is tried once a workspace uses this account.`

/** Rejects when the time of a validation is over. */
async function endOf(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort')
  throw new LateAnswer()
}

/** One check of several calls. Each right that is missing is named; any other fault decides the state. */
export async function checkCalls(
  part: CheckPart,
  calls: ReadonlyArray<Promise<unknown>>,
): Promise<PartCheck> {
  const results = await Promise.allSettled(calls)
  const faults = results.flatMap((result) =>
    result.status === 'rejected' ? [faultOf(result.reason)] : [],
  )
  const denied = faults.filter(({ kind }) => kind === 'denied')
  const others = faults.filter(({ kind }) => kind !== 'denied' && kind !== 'excluded')
  // What one call was told counts, whatever the cloud did not answer to another.
  const other = others.find((fault) => !markOf([fault]).unanswered) ?? others[0]
  if (denied.length > 0) {
    const missing = [...new Set(denied.flatMap((fault) => fault.missing))]
    const rights = missing.length === 1 ? 'the right' : 'the rights'
    const reason = `The credentials lack ${rights} ${missing.join(', ')}.`
    return { part, state: 'missing', reason, missing }
  }
  const fault = other ?? faults[0]
  return fault ? checkOf(part, fault) : okCheck(part)
}
