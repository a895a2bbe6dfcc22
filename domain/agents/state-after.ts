import type { HostState } from '../pipelines/deployment.ts'

export const hostActions = ['deploy', 'install', 'activate', 'rollback', 'verify'] as const
export type HostAction = (typeof hostActions)[number]

export type RunningRelease = { digest: string; runId: number | null }

type Told = { action: HostAction; ok: boolean; release: RunningRelease | null }
type Releases = {
  /** The release of the deployment's run. */
  own: { digest: string; runId: number }
  /** The digest that `action` was to bring: the run's own, or the earlier one's. */
  asked: string
  /** What ran before the deployment. */
  before: string | null
}

export type StateAfter = {
  state: HostState
  runsNew: boolean
  /** The agent said that all is well, and that something else runs. */
  contradicts: boolean
}

/**
 * A host's state after its result. A good result must name the release that was asked for: otherwise the
 * host does not run what the deployment counts on, whatever its agent says.
 */
export function stateAfter({ action, ok, release }: Told, of: Releases): StateAfter {
  const contradicts = ok && switches.has(action) && release?.digest !== of.asked
  const isGood = ok && !contradicts
  return {
    state: isGood ? good[action] : bad[action],
    runsNew: runsOwn({ action, release, isGood }, of),
    contradicts,
  }
}

/** Where the earlier release has the same bytes, only the run tells which of the two it is. */
function runsOwn(
  {
    action,
    release,
    isGood,
  }: { action: HostAction; release: RunningRelease | null; isGood: boolean },
  { own, before }: Releases,
): boolean {
  if (release?.digest !== own.digest) return false
  if (isGood && action === 'rollback') return false
  if (isGood && switches.has(action)) return true
  return release.runId === own.runId || before !== own.digest
}

/** These end with `current` at the release that was asked for. */
const switches = new Set<HostAction>(['deploy', 'activate', 'rollback', 'verify'])

const good: Record<HostAction, HostState> = {
  deploy: 'healthy',
  install: 'staged',
  activate: 'healthy',
  rollback: 'rolled_back',
  verify: 'healthy',
}

const bad: Record<HostAction, HostState> = {
  deploy: 'failed',
  install: 'failed',
  activate: 'failed',
  rollback: 'stuck',
  verify: 'failed',
}
