import type { AccountCheck, AccountStatus } from './cloud-account.ts'

/** `answered`: the cloud knows the credentials. `rejected`: it does not, or they are another account's. */
export type Validated = {
  checks: AccountCheck[]
  outcome: 'answered' | 'rejected' | 'unreachable'
  reason: string | null
}
export type StatusFinding = {
  status: AccountStatus
  statusReason: string | null
  checks: AccountCheck[]
  failedTries: number
}

/** A cloud that does not answer once is not yet `unreachable`: this often in a row it is. */
const triesUntilUnreachable = 3

/** An account's status after a validation, with a reason that says what to do. */
export function statusAfter(
  before: StatusFinding,
  { checks, outcome, reason }: Validated,
): StatusFinding {
  if (outcome === 'unreachable') {
    const failedTries = before.failedTries + 1
    const isOver = failedTries >= triesUntilUnreachable
    return {
      status: isOver ? 'unreachable' : before.status,
      statusReason: isOver
        ? (reason ?? 'The cloud does not answer. It is asked again by itself.')
        : before.statusReason,
      // What was found before still holds: nothing contradicts it.
      checks: before.checks,
      failedTries,
    }
  }
  if (outcome === 'rejected')
    return {
      status: 'invalid_credentials',
      statusReason: reason ?? 'The cloud rejects these credentials. Replace them.',
      checks,
      failedTries: 0,
    }
  const short = checks.filter(({ state }) => state === 'missing' || state === 'failed')
  if (short.length === 0) return { status: 'healthy', statusReason: null, checks, failedTries: 0 }
  return {
    status: 'degraded',
    statusReason: short.map(sentenceOf).join(' '),
    checks,
    failedTries: 0,
  }
}

export const missingOf = (checks: readonly AccountCheck[]): string[] => [
  ...new Set(checks.flatMap(({ missing }) => missing)),
]

/** What to do about a part that is not as it should be. */
export function sentenceOf({ part, reason, missing }: AccountCheck): string {
  const name = partNames[part]
  if (missing.length > 0) return `${name} needs ${missing.join(', ')}.`
  return `${name}: ${(reason ?? 'it could not be checked').replace(/\.$/, '')}.`
}

const partNames = {
  identity: 'Identity',
  inventory: 'Listing resources',
  billing: 'Reading bills',
  runs: 'Lending credentials to runs',
} as const

const minuteMs = 60_000

/** When an account is validated next, in milliseconds from now. */
export function nextValidationMs(
  { status, failedTries }: Pick<StatusFinding, 'status' | 'failedTries'>,
  syncIntervalMinutes: number,
): number {
  // The tries that decide whether it is `unreachable`.
  if (failedTries > 0 && failedTries < triesUntilUnreachable) return minuteMs / 3
  // A cloud may lock or report an account that keeps trying with wrong credentials.
  if (status === 'invalid_credentials') return 6 * 60 * minuteMs
  return syncIntervalMinutes * minuteMs
}
