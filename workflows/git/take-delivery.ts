import { ActivityFailure, ApplicationFailure, proxyActivities } from '@temporalio/workflow'
import type { ControlActivities } from '../../activities/index.ts'
import type { TakeDeliveryInput } from './contract.ts'

// A provider may be down for hours, so this is retried for days.
const { lookIntoDelivery } = proxyActivities<ControlActivities>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '15 seconds',
  scheduleToCloseTimeout: '3 days',
  summary: 'what was pushed',
  retry: { initialInterval: '500 ms', maximumInterval: '1 minute' },
})
const { endDelivery } = proxyActivities<ControlActivities>({
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '200 ms', maximumInterval: '5 seconds' },
})

/** Processes a delivery of a Git host, a push or a pull request. Its content is read from the host. */
export async function takeDelivery(input: TakeDeliveryInput): Promise<void> {
  // A payload without our MAC was dropped before it got here (worker/drop-unmarked.ts).
  if (!Number.isSafeInteger((input as Partial<TakeDeliveryInput> | undefined)?.deliveryId))
    throw ApplicationFailure.nonRetryable('refused: the input is not ours', 'bad_input')
  try {
    await lookIntoDelivery(input)
    await endDelivery(input)
  } catch (error) {
    await endDelivery({ ...input, code: codeOf(error) })
  }
}

/** The fault's code alone: see guardActivity. */
const codeOf = (error: unknown): string =>
  error instanceof ActivityFailure && error.cause instanceof ApplicationFailure
    ? (error.cause.type ?? 'internal')
    : 'timed_out'
