import type { RunOrigin } from '../runs/run-origin.ts'
import type { StageState, TerminalPhase } from '../runs/run-state.ts'

/**
 * Stored phases of an application run. A confirmation between the steps of a deployment leaves it in
 * `deploying`, so that no other run of the pipeline deploys meanwhile.
 */
export const liveApplicationPhases = [
  'queued',
  'sourcing',
  'building',
  'awaiting_approval',
  'deploy_queued',
  'deploying',
  'rolling_back',
] as const
export type LiveApplicationPhase = (typeof liveApplicationPhases)[number]
export type ApplicationPhase = LiveApplicationPhase | TerminalPhase

const next: Record<LiveApplicationPhase, readonly ApplicationPhase[]> = {
  // A promotion and a rollback have their artifact, so they skip source and build.
  queued: ['sourcing', 'awaiting_approval', 'deploy_queued', 'succeeded', 'failed', 'canceled'],
  sourcing: ['building', 'failed', 'canceled'],
  // Without a target the run ends with its artifact.
  building: ['awaiting_approval', 'deploy_queued', 'succeeded', 'failed', 'canceled'],
  awaiting_approval: ['deploy_queued', 'failed', 'canceled'],
  // A void approval is asked for again.
  deploy_queued: ['deploying', 'awaiting_approval', 'failed', 'canceled'],
  // Canceled only while no host was changed.
  deploying: ['rolling_back', 'succeeded', 'failed', 'canceled'],
  rolling_back: ['failed'],
}

export const isLive = (phase: ApplicationPhase): phase is LiveApplicationPhase =>
  Object.hasOwn(next, phase)

export const mayMove = (from: ApplicationPhase, to: ApplicationPhase): boolean =>
  isLive(from) && next[from].includes(to)

export const applicationStages = ['source', 'build', 'deploy'] as const
export type ApplicationStage = (typeof applicationStages)[number]
type StageStates = Record<ApplicationStage, StageState>

const states = (source: StageState, build: StageState, deploy: StageState): StageStates => ({
  source,
  build,
  deploy,
})

/**
 * The stages of a run in this phase, or of one that ended in it. `hasArtifact`: from another run, which
 * a promotion and a rollback deploy.
 */
export function stagesOf(
  phase: LiveApplicationPhase,
  { hasArtifact, ended }: { hasArtifact: boolean; ended?: TerminalPhase },
): StageStates {
  const live = liveStages[phase]
  const own = hasArtifact
    ? { ...live, source: 'skipped' as const, build: 'skipped' as const }
    : live
  const stages = hasArtifact && phase === 'queued' ? { ...own, deploy: 'queued' as const } : own
  if (ended === undefined) return stages
  const close = (state: StageState): StageState => {
    if (state === 'succeeded' || state === 'skipped') return state
    if (ended === 'succeeded') return 'succeeded'
    return state === 'pending' ? 'skipped' : ended
  }
  return states(close(stages.source), close(stages.build), close(stages.deploy))
}

const liveStages: Record<LiveApplicationPhase, StageStates> = {
  queued: states('queued', 'pending', 'pending'),
  sourcing: states('running', 'pending', 'pending'),
  building: states('succeeded', 'running', 'pending'),
  awaiting_approval: states('succeeded', 'succeeded', 'waiting'),
  deploy_queued: states('succeeded', 'succeeded', 'queued'),
  deploying: states('succeeded', 'succeeded', 'running'),
  rolling_back: states('succeeded', 'succeeded', 'running'),
}

/** What a cancel does. Hosts that run a hook are stopped first, and a rollback goes on to its end. */
export function onCancel(phase: ApplicationPhase): 'end' | 'stop_hosts' | 'refuse' {
  if (!isLive(phase) || phase === 'rolling_back') return 'refuse'
  return phase === 'deploying' ? 'stop_hosts' : 'end'
}

type Ordered = {
  number: number
  phase: ApplicationPhase
  origin: RunOrigin
  /** The tag that a push told of: a release of its own, which no push supersedes. */
  tag: string | null
  isRollback: boolean
}

const isPushOfBranch = ({ origin, tag }: Pick<Ordered, 'origin' | 'tag'>) =>
  origin === 'push' && tag === null

/**
 * Whether an older run of the pipeline ends as `superseded` because of a newer one. A newer push ends a
 * push that is queued, and one that waits for approval once its own artifact stands. What a newer run
 * deployed is never undone by an older one, but by a rollback. A deployment under way goes on.
 */
export function isSuperseded(
  older: Ordered,
  newer: Ordered & { hasArtifact: boolean; hasDeployed: boolean },
): boolean {
  if (older.number >= newer.number || !isLive(older.phase) || older.isRollback) return false
  if (older.phase === 'deploying' || older.phase === 'rolling_back') return false
  if (newer.hasDeployed) return true
  if (!isPushOfBranch(older) || !isPushOfBranch(newer)) return false
  return older.phase === 'queued' || (older.phase === 'awaiting_approval' && newer.hasArtifact)
}
