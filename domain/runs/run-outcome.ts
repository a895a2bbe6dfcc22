import type { RunReason, TerminalPhase } from './run-state.ts'

/**
 * How a run ended, as people tell ends apart: what a person or a policy decided, and a plan that time
 * overtook, are no failure of OpenTofu.
 */
export const runOutcomes = [
  'succeeded',
  'failed',
  'canceled',
  'denied',
  'rejected',
  'expired',
  'out_of_date',
] as const
export type RunOutcome = (typeof runOutcomes)[number]

const stopped = {
  denied: ['policy_denied', 'cost_exceeded', 'cost_unknown'],
  rejected: ['rejected'],
  expired: ['approval_expired'],
  out_of_date: ['plan_stale', 'superseded'],
} as const satisfies Partial<Record<RunOutcome, readonly RunReason[]>>

/** The reasons of runs that were stopped before their apply. */
export const stoppedReasons: readonly RunReason[] = Object.values(stopped).flat()

/** Which stored phases and reasons an outcome has: `isOneOf` says whether the reasons are its own or all others'. */
export function endOf(outcome: RunOutcome): {
  phases: readonly TerminalPhase[]
  reasons: readonly RunReason[]
  isOneOf: boolean
} {
  switch (outcome) {
    case 'succeeded':
    case 'failed':
    case 'canceled':
      return { phases: [outcome], reasons: stoppedReasons, isOneOf: false }
    default:
      return { phases: ['failed', 'canceled'], reasons: stopped[outcome], isOneOf: true }
  }
}
