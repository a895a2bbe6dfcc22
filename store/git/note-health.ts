import type { ConnectionHealth } from '../../domain/git/connection-health.ts'
import type { Db } from '../connect.ts'
import { gitConnections, type GitConnection } from './git-connections.ts'
import { startInitialization } from './start-initialization.ts'

/** What a check found. A branch whose preparation had failed is prepared again once nothing is against it. */
export async function noteHealth(
  db: Db,
  organizationId: number,
  { connectionId, health }: { connectionId: number; health: ConnectionHealth },
): Promise<GitConnection> {
  const connections = gitConnections(db, organizationId)
  const before = await connections.getForUpdate(connectionId)
  const claim = await connections.claimOf(connectionId)
  const unprepared = before.status === 'initializing' || before.status === 'error'
  if (health.status === 'healthy' && claim && unprepared) {
    await connections.setStatus(connectionId, 'initializing', null)
    await startInitialization(db, organizationId, { connectionId, claim })
  } else await connections.setStatus(connectionId, health.status, health.reason)
  return connections.get(connectionId)
}
