import type { AccountCheck, CheckPart } from '../../domain/clouds/cloud-account.ts'
import { AppError } from '../../domain/errors.ts'
import type { Validation } from './cloud.ts'
import { CloudFault } from './cloud-fault.ts'

type Ask = () => Promise<AccountCheck>
export type Asked = { identity: Ask } & Record<Exclude<CheckPart, 'identity'>, Ask>

/**
 * Asks for all parts at once. Identity decides the outcome: where it fails, the answers of the other parts say
 * nothing of their own.
 */
export async function checkParts(asked: Asked): Promise<Validation> {
  const parts = ['identity', 'inventory', 'billing', 'runs'] as const
  const faults = new Map<CheckPart, CloudFault>()
  const checks = await Promise.all(
    parts.map(async (part) => {
      try {
        return await asked[part]()
      } catch (error) {
        const fault = faultOf(error)
        faults.set(part, fault)
        return checkOf(part, fault)
      }
    }),
  )
  const refused = faults.get('identity')
  // The cloud knows who asks, and names what they may not: that is an answer.
  if (!refused || refused.kind === 'denied') return { checks, outcome: 'answered', reason: null }
  const rest = checks.map((check): AccountCheck =>
    check.part === 'identity' || check.state === 'off'
      ? check
      : { ...check, state: 'failed', reason: 'Not checked without an identity.', missing: [] },
  )
  return {
    checks: rest,
    outcome: refused.kind === 'credentials' ? 'rejected' : 'unreachable',
    reason: refused.message,
  }
}

/** Only an address that is not allowed is the caller's own mistake, and stays an exception. */
function faultOf(error: unknown): CloudFault {
  if (error instanceof CloudFault) return error
  if (error instanceof AppError && error.fault === 'invalid') throw error
  return new CloudFault('unreachable', 'The cloud did not answer in time, or not as it should.')
}

function checkOf(part: CheckPart, fault: CloudFault): AccountCheck {
  const { kind, message, missing } = fault
  // What a service control policy denies is its organization's decision and degrades nothing.
  if (kind === 'excluded') return { part, state: 'ok', reason: message, missing: [] }
  if (kind === 'denied') return { part, state: 'missing', reason: message, missing }
  return { part, state: 'failed', reason: message, missing: [] }
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

/** The trust of a run's identity names a workspace and phase, for which only a run has a token. */
export function checkLent(runs: Record<string, unknown> | null): AccountCheck {
  const lent = Object.values(runs ?? {})
  if (lent.length === 0) return offCheck('runs', 'Runs are lent no credentials of this account.')
  return lent.every((identity) => identity === 'account')
    ? okCheck('runs')
    : offCheck('runs', 'The identities of runs are tried when a run starts.')
}

/** One check of several calls. Each right that is missing is named; any other fault decides the state. */
export async function checkCalls(
  part: CheckPart,
  calls: ReadonlyArray<Promise<unknown>>,
): Promise<AccountCheck> {
  const results = await Promise.allSettled(calls)
  const faults = results.flatMap((result) =>
    result.status === 'rejected' ? [faultOf(result.reason)] : [],
  )
  const denied = faults.filter(({ kind }) => kind === 'denied')
  const other = faults.find(({ kind }) => kind !== 'denied' && kind !== 'excluded')
  if (denied.length > 0) {
    const missing = [...new Set(denied.flatMap((fault) => fault.missing))]
    const rights = missing.length === 1 ? 'the right' : 'the rights'
    const reason = `The credentials lack ${rights} ${missing.join(', ')}.`
    return { part, state: 'missing', reason, missing }
  }
  const fault = other ?? faults[0]
  return fault ? checkOf(part, fault) : okCheck(part)
}
