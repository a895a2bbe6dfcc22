import type { Tenant } from '../../store/driver/tenant.ts'
import { markerGone, type ConnectionHealth } from '../../domain/git/connection-health.ts'
import { gitConnections, type GitConnection } from '../../store/git/git-connections.ts'
import { startInitialization } from './start-initialization.ts'

type Seen = Pick<GitConnection, 'status' | 'checkedAt'>

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
  const before = await connections.getForUpdate(connectionId)
  const lost = health.marker === 'absent' || health.marker === 'stale'
  const isStale =
    before.status !== seen.status || before.checkedAt.getTime() !== seen.checkedAt.getTime()
  if (isStale && (lost || health.status !== 'healthy')) return before
  const claim = await connections.claimOf(connectionId)
  if (before.defaultRepo && health.repo && health.repo !== before.defaultRepo)
    await connections.update(connectionId, { defaultRepo: health.repo })
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
