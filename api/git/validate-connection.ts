import type { Caller } from '../../domain/access/caller.ts'
import { unavailable } from '../../domain/errors.ts'
import { checkConnection } from '../../gateways/git/check-connection.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { gitConnections, type GitConnection } from '../../store/git/git-connections.ts'
import { startInitialization } from '../../store/git/start-initialization.ts'
import type { Deps } from '../deps.ts'
import { openHost } from './open-host.ts'

/** Asks the provider now. A repository whose preparation had failed is prepared again. */
export async function validateConnection(
  deps: Deps,
  caller: Caller,
  id: number,
): Promise<GitConnection> {
  const { organizationId } = caller
  const { connection, claim } = await deps.store.tenant(organizationId, async (db) => {
    const connections = gitConnections(db, organizationId)
    return { connection: await connections.get(id), claim: await connections.claimOf(id) }
  })
  const health = await checkConnection(openHost(deps, organizationId, connection), {
    repo: connection.defaultRepo,
    repositoryId: claim?.repositoryId,
  })
  const healthy = health.status === 'healthy'
  const after = await deps.store.tenant(organizationId, async (db) => {
    const connections = gitConnections(db, organizationId)
    const before = await connections.getForUpdate(id)
    const unprepared = before.status === 'initializing' || before.status === 'error'
    const again = healthy && claim !== undefined && unprepared
    await connections.setStatus(id, again ? 'initializing' : health.status, health.reason)
    if (again) await startInitialization(db, organizationId, { connectionId: id, claim })
    await auditLog(db, organizationId, actorOf(caller)).record('git.connection_validated', {
      outcome: healthy ? 'success' : 'failure',
      target: { kind: 'git_connection', id, label: connection.defaultRepo ?? connection.host },
      detail: { status: health.status, reason: health.reason },
    })
    return connections.get(id)
  })
  // §4.6: a host that is down and a token that it rejects are both told as 503, with its reason.
  if (health.status === 'unreachable' || health.status === 'invalid_token')
    throw unavailable(
      health.status === 'unreachable' ? 'git_provider_unavailable' : 'git_token_rejected',
      health.reason ?? 'The provider cannot be asked.',
    )
  return after
}
