import type { AccountCheck, AccountStatus, CheckPart } from './cloud-account.ts'

/** `answered`: the cloud knows the credentials. `rejected`: it does not, or they are another account's. */
export type Validated = {
  checks: AccountCheck[]
  outcome: 'answered' | 'rejected' | 'unreachable'
  reason: string | null
  unanswered?: Unanswered
}
/** Parts of which the cloud said nothing: it limits how often it may be called, or took too long. */
export type Unanswered = Partial<Record<CheckPart, 'throttled' | 'late'>>
export type StatusFinding = {
  status: AccountStatus
  statusReason: string | null
  checks: AccountCheck[]
  /** In a row, in which the cloud said nothing of the identity. */
  failedTries: number
  /** In a row, in which it answered, and too late of a part. */
  lateTries: number
}

/** A cloud that does not answer once is not yet `unreachable`: this often in a row it is. */
const triesUntilUnreachable = 3

const isFew = (tries: number): boolean => tries < triesUntilUnreachable
type Tries = Pick<StatusFinding, 'failedTries' | 'lateTries'>

/** An account's status after a validation, with a reason that says what to do. */
export function statusAfter(
  before: StatusFinding,
  { checks: found, outcome, reason, unanswered = {} }: Validated,
): StatusFinding {
  if (outcome === 'unreachable') {
    // The cloud is there, so this is no try that failed.
    if (unanswered.identity === 'throttled') return asBefore(before, before)
    const failedTries = before.failedTries + 1
    const isOver = !isFew(failedTries)
    return {
      status: isOver ? 'unreachable' : before.status,
      statusReason: isOver
        ? (reason ?? 'The cloud does not answer. It is asked again by itself.')
        : before.statusReason,
      // What was found before still holds: nothing contradicts it.
      checks: before.checks,
      failedTries,
      lateTries: before.lateTries,
    }
  }
  if (outcome === 'rejected')
    return {
      status: 'invalid_credentials',
      statusReason: reason ?? 'The cloud rejects these credentials. Replace them.',
      checks: found,
      ...noTries,
    }
  const isLate = Object.values(unanswered).includes('late')
  const tries = { ...noTries, lateTries: isLate ? before.lateTries + 1 : 0 }
  const checks = withKept(before, found, unsettledParts(unanswered, tries.lateTries))
  if (!checks) return asBefore(before, tries)
  const short = checks.filter(isAmiss)
  if (short.length === 0) return { status: 'healthy', statusReason: null, checks, ...tries }
  return {
    status: 'degraded',
    statusReason: short.map(sentenceOf).join(' '),
    checks,
    ...tries,
  }
}

const noTries: Tries = { failedTries: 0, lateTries: 0 }

/**
 * The parts whose checks stand as they were: a limit on calls is no fault of the account, and an answer that came too
 * late is one only as often in a row as makes a cloud unreachable.
 */
export const unsettledParts = (unanswered: Unanswered, lateTries: number): Set<string> =>
  new Set(
    Object.entries(unanswered).flatMap(([part, why]) =>
      why === 'throttled' || isFew(lateTries) ? [part] : [],
    ),
  )

/** Undefined where a part was never answered, so that nothing is known of the account as a whole. */
function withKept(
  { checks: before }: StatusFinding,
  found: AccountCheck[],
  unsettled: ReadonlySet<string>,
): AccountCheck[] | undefined {
  const earlier = ({ part }: AccountCheck) => before.find((check) => check.part === part)
  const kept = found.filter(({ part }) => unsettled.has(part))
  const isShort = found.some((check) => !unsettled.has(check.part) && isAmiss(check))
  if (!isShort && !kept.every(earlier)) return undefined
  return found.map((check) => (unsettled.has(check.part) ? (earlier(check) ?? check) : check))
}

const isAmiss = ({ state }: AccountCheck): boolean => state === 'missing' || state === 'failed'

const asBefore = (
  { status, statusReason, checks }: StatusFinding,
  { failedTries, lateTries }: Tries,
): StatusFinding => ({ status, statusReason, checks, failedTries, lateTries })

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
  { status, failedTries, lateTries }: Pick<StatusFinding, 'status'> & Tries,
  syncIntervalMinutes: number,
  unanswered: Unanswered = {},
): number {
  // The tries that decide whether it is `unreachable`, or a part of it failed.
  if ([failedTries, lateTries].some((tries) => tries > 0 && isFew(tries))) return minuteMs / 3
  // A cloud may lock or report an account that keeps trying with wrong credentials.
  if (status === 'invalid_credentials') return 6 * 60 * minuteMs
  if (Object.values(unanswered).includes('throttled')) return minuteMs
  return syncIntervalMinutes * minuteMs
}
