import type { Tenant } from '../../store/driver/tenant.ts'
import type { GitConnection } from '../../store/git/git-connections.ts'
import { triggeredPipelines } from '../../store/pipelines/pipelines.ts'
import { startPipelineWebhook, startWebhook } from './start-webhook.ts'

/** For so long a registration is tried (workflows/git/register-webhook.ts). */
const triedForMs = 86_400_000

/**
 * Starts the registrations anew of webhooks that are still pending after a day: a host was away for longer, or took
 * none at that time. For a connection that answers. Once in each day after the connection or pipeline was made, however
 * often it is called: the day is part of the workflow's id.
 */
export async function startPendingWebhooks(
  tenant: Tenant,
  connection: Pick<GitConnection, 'id' | 'webhookState' | 'createdAt'>,
): Promise<void> {
  const place = placeOf(connection)
  if (place !== undefined) await startWebhook(tenant, connection.id, { place, afterSeconds: 0 })
  for (const pipeline of await triggeredPipelines(tenant, connection.id)) {
    const place = placeOf(pipeline)
    if (place !== undefined) await startPipelineWebhook(tenant, pipeline, { place })
  }
}

/** Undefined where nothing is to be started. */
function placeOf({
  webhookState,
  createdAt,
}: Pick<GitConnection, 'webhookState' | 'createdAt'>): string | undefined {
  const days = Math.floor((Date.now() - createdAt.getTime()) / triedForMs)
  return webhookState === 'pending' && days >= 1 ? `day-${days}` : undefined
}
