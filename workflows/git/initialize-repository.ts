import { ActivityFailure, ApplicationFailure, proxyActivities } from '@temporalio/workflow'
import type { ControlActivities } from '../../activities/index.ts'
import type { InitializeRepositoryInput } from './contract.ts'

// A provider may be down for hours, so these are retried for days.
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
  // A payload without our MAC was dropped before it got here (worker/drop-unmarked.ts).
  if (
    !Number.isSafeInteger((input as Partial<InitializeRepositoryInput> | undefined)?.connectionId)
  )
    throw ApplicationFailure.nonRetryable('refused: the input is not ours', 'bad_input')
  try {
    // Proposed: the branch is protected, and a person must merge first. The status says so.
    if ((await markRepository(input)) === 'proposed') return
    if ((await scaffoldRepository(input)) === 'proposed') return
    await endInitialization(input)
  } catch (error) {
    await endInitialization({ ...input, code: codeOf(error) })
  }
}

/** The fault's code alone: see guardActivity. */
const codeOf = (error: unknown): string =>
  error instanceof ActivityFailure && error.cause instanceof ApplicationFailure
    ? (error.cause.type ?? 'internal')
    : 'timed_out'
