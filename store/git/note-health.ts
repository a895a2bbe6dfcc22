import { markerGone, type ConnectionHealth } from '../../domain/git/connection-health.ts'
import type { Db } from '../connect.ts'
import { gitConnections, type GitConnection } from './git-connections.ts'
import { startInitialization } from './start-initialization.ts'

/**
 * Stores the result of a check. A branch whose preparation failed is prepared again once the check
 * finds no obstacle; one that lost its marker only if a person asked for it (`repairs`).
 */
export async function noteHealth(
  db: Db,
  organizationId: number,
  {
    connectionId,
    health,
    repairs = false,
  }: { connectionId: number; health: ConnectionHealth; repairs?: boolean },
): Promise<GitConnection> {
  const connections = gitConnections(db, organizationId)
  const before = await connections.getForUpdate(connectionId)
  const claim = await connections.claimOf(connectionId)
  if (before.defaultRepo && health.repo && health.repo !== before.defaultRepo)
    await connections.update(connectionId, { defaultRepo: health.repo })
  const lost = health.marker === 'absent' || health.marker === 'stale'
  const unprepared =
    before.status === 'initializing' ||
    (before.status === 'error' && !(lost && before.statusReason === markerGone))
  if (health.status === 'healthy' && claim && (unprepared || (lost && repairs))) {
    await connections.setStatus(connectionId, 'initializing', null)
    await startInitialization(db, organizationId, { connectionId, claim })
  } else if (lost) await connections.setStatus(connectionId, 'error', markerGone)
  else await connections.setStatus(connectionId, health.status, health.reason)
  return connections.get(connectionId)
}
