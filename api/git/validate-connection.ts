import type { Caller } from '../../domain/access/caller.ts'
import { unavailable } from '../../domain/errors.ts'
import { checkConnection } from '../../gateways/git/check-connection.ts'
import { webhookUrl } from '../../gateways/git/register-webhook.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { gitConnections, type GitConnection } from '../../store/git/git-connections.ts'
import { startPipelineWebhook } from '../../app/git/start-webhook.ts'
import { noteHealth } from '../../app/git/note-health.ts'
import { triggeredPipelines } from '../../store/pipelines/pipelines.ts'
import type { Deps } from '../deps.ts'
import { openHost } from '../../app/git/open-host.ts'
import { syncWebhook } from '../../app/git/sync-webhook.ts'
import { publicOrigin } from '../http/public-origin.ts'

/** Checks a connection at the provider now. A failed preparation is started again. */
export async function validateConnection(
  deps: Deps,
  caller: Caller,
  id: number,
): Promise<GitConnection> {
  const { organizationId } = caller
  const { connection, owner } = await deps.store.tenant(organizationId, async (tenant) => {
    const connections = gitConnections(tenant)
    return { connection: await connections.get(id), owner: await connections.ownershipOf(id) }
  })
  const host = openHost(deps, organizationId, connection)
  const health = await checkConnection(host, {
    repo: connection.defaultRepo,
    owner,
    keyring: deps.keyring,
  })
  const healthy = health.status === 'healthy'
  // The token may have gained the right since, or this service a new address.
  const origin = publicOrigin({ server: { deps } })
  if (healthy && owner && needsWebhook(connection, origin))
    await syncWebhook(deps, organizationId, { host, connection, origin })
  const after = await deps.store.tenant(organizationId, async (tenant) => {
    const found = { connectionId: id, seen: connection, health, repairs: true }
    const noted = await noteHealth(tenant, found)
    if (healthy)
      for (const pipeline of await triggeredPipelines(tenant, id))
        if (pipeline.webhookState !== 'active') await startPipelineWebhook(tenant, pipeline)
    await auditLog(tenant, actorOf(caller)).record('git.connection_validated', {
      outcome: healthy ? 'success' : 'failure',
      target: { kind: 'git_connection', id, label: connection.defaultRepo ?? connection.host },
      detail: { status: health.status, reason: health.reason },
    })
    return noted
  })
  // A host that is down and a token that it rejects are both 503, with the provider's reason.
  if (health.status === 'unreachable' || health.status === 'invalid_token')
    throw unavailable(
      health.status === 'unreachable' ? 'git_provider_unavailable' : 'git_token_rejected',
      health.reason ?? 'The provider cannot be asked.',
    )
  return after
}

/** Whether a connection has no webhook, or one that points elsewhere. */
const needsWebhook = (
  { id, defaultRepo, webhookState, webhookUrl: registered }: GitConnection,
  origin: string,
): boolean =>
  defaultRepo !== null && (webhookState !== 'active' || registered !== webhookUrl(origin, id))
