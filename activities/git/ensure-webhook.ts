import { unavailable } from '../../domain/errors.ts'
import type { WebhookOutcome } from '../../gateways/git/register-webhook.ts'
import { openHost } from '../../app/git/open-host.ts'
import { syncPipelineWebhook } from '../../app/git/sync-pipeline-webhook.ts'
import { syncWebhook } from '../../app/git/sync-webhook.ts'
import { gitConnections } from '../../store/git/git-connections.ts'
import { triggeredPipelines } from '../../store/pipelines/pipelines.ts'
import type { RegisterWebhookInput } from '../../workflows/git/contract.ts'
import type { Deps } from '../deps.ts'
import { gitActivity } from './git-activity.ts'

/**
 * Registers a webhook that is still pending: a connection's, or that of a pipeline's repository. Repeated,
 * it replaces the webhook by a new one.
 */
export const ensureWebhook =
  (worker: Deps) =>
  async (input: RegisterWebhookInput): Promise<void> =>
    gitActivity(worker, input.organizationId, async (deps) => {
      const { pipelineId } = input
      const outcome =
        pipelineId === undefined
          ? await ensureOfConnection(deps, input)
          : await ensureOfPipeline(deps, { ...input, pipelineId })
      if (outcome?.state === 'pending') throw unavailable('git_webhook_pending', outcome.reason)
    })

async function ensureOfConnection(
  deps: Deps,
  { organizationId, connectionId }: RegisterWebhookInput,
): Promise<WebhookOutcome | undefined> {
  const connection = await deps.store.tenant(organizationId, async (tenant) =>
    gitConnections(tenant).find(connectionId),
  )
  if (connection?.webhookState !== 'pending' || !connection.webhookSecret) return undefined
  const host = openHost(deps, organizationId, connection)
  return syncWebhook(deps, organizationId, { host, connection, origin: deps.publicOrigin })
}

async function ensureOfPipeline(
  deps: Deps,
  { organizationId, connectionId, pipelineId }: RegisterWebhookInput & { pipelineId: number },
): Promise<WebhookOutcome | undefined> {
  const found = await deps.store.tenant(organizationId, async (tenant) => {
    const connection = await gitConnections(tenant).find(connectionId)
    const triggered = await triggeredPipelines(tenant, connectionId)
    // Deleted, or led to another connection since, whose own workflow registers it.
    const pipeline = triggered.find(({ id }) => id === pipelineId)
    return connection && pipeline && { connection, pipeline }
  })
  if (!found) return undefined
  const host = openHost(deps, organizationId, found.connection)
  return syncPipelineWebhook(deps, organizationId, { host, ...found, origin: deps.publicOrigin })
}
