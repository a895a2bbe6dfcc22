import type { Caller } from '../../domain/access/caller.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { gitConnections } from '../../store/git/git-connections.ts'
import { holdRowsOfRepository } from '../../store/git/rows-of-repository.ts'
import type { Deps } from '../deps.ts'
import { openHost } from '../../app/git/open-host.ts'
import { giveBack } from './set-defaults.ts'
import { removeWebhook } from './remove-webhook.ts'

/**
 * Disconnects: removes the webhook, our marker, and the row with the token and the claim. A host
 * that is down does not keep the token here; the marker it keeps belongs to a deleted connection.
 */
export async function disconnect(deps: Deps, caller: Caller, id: number): Promise<void> {
  const { organizationId } = caller
  const { connection, claim } = await deps.store.tenant(organizationId, async (tenant) => {
    const connections = gitConnections(tenant)
    return { connection: await connections.get(id), claim: await connections.claimOf(id) }
  })
  await removeWebhook(deps, () => openHost(deps, organizationId, connection), connection)
  const markerRemoved = claim ? await giveBack(deps, caller, { connection, claim }) : false
  await deps.store.tenant(organizationId, async (tenant) => {
    const connections = gitConnections(tenant)
    // First, as whoever changes one of them does: deleting the connection writes all of these rows.
    await holdRowsOfRepository(tenant, { connectionId: id })
    await connections.getForUpdate(id)
    await connections.delete(id)
    await auditLog(tenant, actorOf(caller)).record('git.connection_disconnected', {
      target: { kind: 'git_connection', id, label: connection.defaultRepo ?? connection.host },
      detail: { repo: connection.defaultRepo, branch: connection.defaultBranch, markerRemoved },
    })
  })
}
