import {
  isWaitingForApproval,
  livePhases,
  type PublicRunState,
  type RunPhase,
} from '../../domain/runs/run-state.ts'

/** The stored phases of public states; of all states where none is asked for. */
export function phasesOfStates(
  states: readonly PublicRunState[] | undefined,
  isWaiting?: boolean,
): RunPhase[] {
  const terminal = ['succeeded', 'failed', 'canceled'] as const
  const asked = (states ?? ['running', ...terminal]).flatMap((state): readonly RunPhase[] =>
    state === 'running' ? livePhases : [state],
  )
  return isWaiting === undefined
    ? asked
    : asked.filter((one) => isWaitingForApproval(one) === isWaiting)
}
