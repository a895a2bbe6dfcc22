/** Stored phases of a workspace run (docs/runs.md, "States"). The public state is derived from them. */
export const livePhases = [
  'queued',
  'awaiting_plan_approval',
  'planning',
  'awaiting_approval',
  'apply_queued',
  'applying',
] as const
const terminalPhases = ['succeeded', 'failed', 'canceled'] as const
export type LivePhase = (typeof livePhases)[number]
export type TerminalPhase = (typeof terminalPhases)[number]
export type RunPhase = LivePhase | TerminalPhase
export type PublicRunState = 'running' | TerminalPhase

/** Phases that wait for a second person: before the plan, or before the apply. */
export const isWaitingForApproval = (phase: RunPhase): boolean =>
  phase === 'awaiting_plan_approval' || phase === 'awaiting_approval'

/** Phases that take one of the organization's places. A run that waits for a person uses no machine. */
export const workingPhases = ['planning', 'apply_queued', 'applying'] as const

/** How many runs of one organization may be planning or applying at once. */
export const organizationRunLimit = 20

export const runReasons = [
  'policy_denied',
  'cost_exceeded',
  'cost_unknown',
  'plan_errored',
  'plan_forged',
  'apply_errored',
  'rejected',
  'approval_expired',
  'plan_stale',
  'superseded',
  'canceled_by_user',
  'timed_out',
  'runner_lost',
  'state_save_failed',
  'plan_too_large',
  'memory_exceeded',
  'source_errored',
  'build_errored',
  'deploy_errored',
  'no_changes',
] as const
export type RunReason = (typeof runReasons)[number]

export const isRunReason = (value: unknown): value is RunReason =>
  runReasons.some((reason) => reason === value)

export const stageStates = [
  'pending',
  'queued',
  'running',
  'waiting',
  'succeeded',
  'failed',
  'skipped',
  'canceled',
] as const
export type StageState = (typeof stageStates)[number]

/** Of a run of either kind: the terminal phases of an application run are the same. */
export const isTerminal = (phase: string): phase is TerminalPhase =>
  terminalPhases.some((terminal) => terminal === phase)

export const publicState = (phase: string): PublicRunState =>
  isTerminal(phase) ? phase : 'running'

/**
 * From which phases a run may come to each phase. `endRun` reads it for the three ends; the other
 * transitions are compare-and-swaps that name their phases themselves.
 */
export const mayComeFrom: Record<Exclude<RunPhase, 'queued'>, readonly RunPhase[]> = {
  // It returns to the queue once its files are approved.
  awaiting_plan_approval: ['queued'],
  planning: ['queued'],
  awaiting_approval: ['planning', 'apply_queued'],
  // From `applying` only if the program never started (an attempt without `spawned_at`).
  apply_queued: ['planning', 'awaiting_approval', 'applying'],
  applying: ['apply_queued'],
  succeeded: ['planning', 'applying'],
  failed: ['awaiting_plan_approval', 'planning', 'awaiting_approval', 'apply_queued', 'applying'],
  canceled: ['queued', 'awaiting_plan_approval', 'planning', 'awaiting_approval', 'apply_queued'],
}

/**
 * The state of a stage after its run has ended: a running stage gets the outcome, one that never began
 * is skipped, or canceled with the run.
 */
export function stageAtEnd(state: StageState, end: TerminalPhase): StageState {
  if (state === 'succeeded' || state === 'failed' || state === 'skipped' || state === 'canceled')
    return state
  if (end === 'canceled') return 'canceled'
  if (state === 'pending' || state === 'queued') return 'skipped'
  return end
}

/** For a sentence: `it has failed (plan_errored)`, `it is applying`. */
export const stateInWords = (run: { phase: RunPhase; reason: string | null }): string =>
  isTerminal(run.phase)
    ? `it has ${run.phase === 'canceled' ? 'been canceled' : run.phase}${run.reason ? ` (${run.reason})` : ''}`
    : `it is ${run.phase.replaceAll('_', ' ')}`
