import {
  liveApplicationPhases,
  type ApplicationPhase,
} from '../../domain/pipelines/application-state.ts'
import {
  isWaitingForApproval,
  livePhases,
  type PublicRunState,
  type RunPhase,
} from '../../domain/runs/run-state.ts'

const allStates = ['running', 'succeeded', 'failed', 'canceled'] as const

/** The stored phases of public states; of all states where none is asked for. */
export function phasesOfStates(
  states: readonly PublicRunState[] | undefined,
  isWaiting?: boolean,
): RunPhase[] {
  const asked = (states ?? allStates).flatMap((state): readonly RunPhase[] =>
    state === 'running' ? livePhases : [state],
  )
  return isWaiting === undefined
    ? asked
    : asked.filter((one) => isWaitingForApproval(one) === isWaiting)
}

/**
 * The same of runs of applications. One that deploys waits for a person between two steps, which its phase does not
 * say: `deploying` is among both those that wait and those that do not.
 */
export function applicationPhasesOfStates(
  states: readonly PublicRunState[] | undefined,
  isWaiting?: boolean,
): ApplicationPhase[] {
  const asked = (states ?? allStates).flatMap((state): readonly ApplicationPhase[] =>
    state === 'running' ? liveApplicationPhases : [state],
  )
  if (isWaiting === undefined) return asked
  return asked.filter((one) =>
    one === 'awaiting_approval' ? isWaiting : one === 'deploying' || !isWaiting,
  )
}
