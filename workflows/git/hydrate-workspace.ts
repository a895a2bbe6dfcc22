import { ActivityFailure, ApplicationFailure, proxyActivities } from '@temporalio/workflow'
import type { ControlActivities } from '../../activities/index.ts'
import type { HydrateWorkspaceInput } from './contract.ts'

// A provider may be down for hours, so this is retried for days.
const { hydrateFiles } = proxyActivities<ControlActivities>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '15 seconds',
  scheduleToCloseTimeout: '3 days',
  summary: 'one commit to the customer’s repository',
  retry: { initialInterval: '500 ms', maximumInterval: '1 minute' },
})
const { failHydration } = proxyActivities<ControlActivities>({
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '200 ms', maximumInterval: '5 seconds' },
})

/** Writes a configuration version into the repository of its workspace's Git connection. */
export async function hydrateWorkspace(input: HydrateWorkspaceInput): Promise<void> {
  // A payload without our MAC was dropped before it got here (worker/drop-unmarked.ts).
  if (!Number.isSafeInteger((input as Partial<HydrateWorkspaceInput> | undefined)?.hydrationId))
    throw ApplicationFailure.nonRetryable('refused: the input is not ours', 'bad_input')
  try {
    await hydrateFiles(input)
  } catch (error) {
    await failHydration({ ...input, reason: codeOf(error) })
  }
}

/** The fault's code alone: see guardActivity. */
const codeOf = (error: unknown): string =>
  error instanceof ActivityFailure && error.cause instanceof ApplicationFailure
    ? (error.cause.type ?? 'internal')
    : 'timed_out'
