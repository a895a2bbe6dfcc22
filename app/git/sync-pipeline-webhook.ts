import type { GitHost } from '../../gateways/git/git-host.ts'
import type { WebhookOutcome } from '../../gateways/git/register-webhook.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'
import type { Store } from '../../store/driver/connect.ts'
import { gitConnections, type GitConnection } from '../../store/git/git-connections.ts'
import { setPipelineWebhook, type Pipeline } from '../../store/pipelines/pipelines.ts'
import { syncInTurn } from './sync-webhook.ts'

/**
 * Registers the webhook of a pipeline's repository, under the address and secret of its connection, and
 * stores the outcome in the pipeline, and in the connection if the repository is its own. Repeated, it
 * replaces the webhook by a new one.
 */
export async function syncPipelineWebhook(
  deps: { store: Store; keyring: Keyring },
  organizationId: number,
  at: { host: GitHost; connection: GitConnection; pipeline: Pipeline; origin: string },
): Promise<WebhookOutcome | undefined> {
  const { host, connection, pipeline, origin } = at
  if (pipeline.appRepo === null) return undefined
  const isOwn = pipeline.appRepo.toLowerCase() === connection.defaultRepo?.toLowerCase()
  return syncInTurn(deps, organizationId, {
    host,
    connection,
    origin,
    repo: isOwn && connection.defaultRepo ? connection.defaultRepo : pipeline.appRepo,
    note: async (tenant, outcome) => {
      const connections = gitConnections(tenant)
      if (isOwn) await connections.setWebhook(connection.id, outcome)
      else if (outcome.signed) await connections.noteSigns(connection.id)
      await setPipelineWebhook(tenant, pipeline, outcome)
    },
  })
}
