import type { Tenant } from '../../store/driver/tenant.ts'
import { markerGone, type ConnectionHealth } from '../../domain/git/connection-health.ts'
import { gitConnections, type GitConnection } from '../../store/git/git-connections.ts'
import { holdRowsOfRepository } from '../../store/git/rows-of-repository.ts'
import { renameRepository } from './rename-repository.ts'
import { startInitialization } from './start-initialization.ts'

type Seen = Pick<GitConnection, 'status' | 'checkedAt' | 'defaultRepo'>

/**
 * Stores the result of a check that began when the connection was as `seen`. A fault is dropped if
 * the connection was checked or repaired since: it may be older than the repair. A branch whose
 * preparation failed is prepared again once the check finds no obstacle; one that lost its marker
 * only if a person asked for it (`repairs`).
 */
export async function noteHealth(
  tenant: Tenant,
  {
    connectionId,
    seen,
    health,
    repairs = false,
  }: { connectionId: number; seen: Seen; health: ConnectionHealth; repairs?: boolean },
): Promise<GitConnection> {
  const connections = gitConnections(tenant)
  const renamed = await holdRenamed(tenant, connectionId, { seen, health })
  const before = await connections.getForUpdate(connectionId)
  const lost = health.marker === 'absent' || health.marker === 'stale'
  const isStale =
    before.status !== seen.status || before.checkedAt.getTime() !== seen.checkedAt.getTime()
  if (isStale && (lost || health.status !== 'healthy')) return before
  const claim = await connections.claimOf(connectionId)
  // A connection that was led to another repository since is not what the check asked about.
  if (renamed && before.defaultRepo === renamed.from) await renameRepository(tenant, renamed)
  const unprepared =
    before.status === 'initializing' ||
    (before.status === 'error' && !(lost && before.statusReason === markerGone))
  if (health.status === 'healthy' && claim && (unprepared || (lost && repairs))) {
    await connections.setStatus(connectionId, 'initializing', null)
    await startInitialization(tenant, { connectionId, claim })
  } else if (lost) await connections.setStatus(connectionId, 'error', markerGone)
  else await connections.setStatus(connectionId, health.status, health.reason)
  return connections.get(connectionId)
}

/** The new name of a repository that was renamed, and the locked rows that name it. */
async function holdRenamed(
  tenant: Tenant,
  connectionId: number,
  { seen: { defaultRepo: from }, health: { repo: to } }: { seen: Seen; health: ConnectionHealth },
) {
  if (!from || !to || to === from) return undefined
  const rows = await holdRowsOfRepository(tenant, { connectionId, repo: from })
  return { connectionId, from, to, rows }
}
