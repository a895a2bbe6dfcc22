import { ApplicationFailure, proxyActivities } from '@temporalio/workflow'
import type { ControlActivities } from '../../activities/index.ts'
import type { RegisterWebhookInput } from './contract.ts'

const { ensureWebhook } = proxyActivities<ControlActivities>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '15 seconds',
  scheduleToCloseTimeout: '1 day',
  retry: { initialInterval: '1 second', maximumInterval: '5 minutes' },
})

/**
 * Registers a connection's webhook if the request that connected it could not. After a day the check of the connection
 * starts another one (app/git/start-pending-webhooks.ts).
 */
export async function registerWebhook(input: RegisterWebhookInput): Promise<void> {
  // A payload without our MAC was dropped before it got here (worker/drop-unmarked.ts).
  if (!Number.isSafeInteger((input as Partial<RegisterWebhookInput> | undefined)?.connectionId))
    throw ApplicationFailure.nonRetryable('refused: the input is not ours', 'bad_input')
  await ensureWebhook(input)
}
