import { ActivityFailure, ApplicationFailure, proxyActivities } from '@temporalio/workflow'
import type { ControlActivities } from '../../activities/index.ts'
import type { InitializeRepositoryInput } from './contract.ts'

// A provider may be away for hours: what waits for it goes on when it is back.
const { markRepository, scaffoldRepository } = proxyActivities<ControlActivities>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '15 seconds',
  scheduleToCloseTimeout: '3 days',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
})
const { endInitialization } = proxyActivities<ControlActivities>({
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '200 ms', maximumInterval: '5 seconds' },
})

/** Prepares a repository: branch and marker, then for `infra` the scaffold. Each step is idempotent. */
export async function initializeRepository(input: InitializeRepositoryInput): Promise<void> {
  // An input that was not ours was dropped on its way here (worker/drop-unmarked.ts).
  if (
    !Number.isSafeInteger((input as Partial<InitializeRepositoryInput> | undefined)?.connectionId)
  )
    throw ApplicationFailure.nonRetryable('refused: the input is not ours', 'bad_input')
  try {
    // Proposed: the branch is protected, and a person has to merge first. That is told by then.
    if ((await markRepository(input)) === 'proposed') return
    if ((await scaffoldRepository(input)) === 'proposed') return
    await endInitialization(input)
  } catch (error) {
    await endInitialization({ ...input, code: codeOf(error) })
  }
}

/** The fault's code, and nothing else of it: see guardActivity. */
const codeOf = (error: unknown): string =>
  error instanceof ActivityFailure && error.cause instanceof ApplicationFailure
    ? (error.cause.type ?? 'internal')
    : 'timed_out'
