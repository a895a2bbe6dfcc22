import type { Caller } from '../../domain/access/caller.ts'
import { gitConnections, type GitConnection } from '../../store/git/git-connections.ts'
import type { Deps } from '../deps.ts'

const patienceMs = 15_000
const pauseMs = 100

/** A repository is prepared within seconds: whoever connects one is told how that went, or `initializing`. */
export async function waitForInitialization(
  deps: Deps,
  { organizationId }: Caller,
  connection: GitConnection,
): Promise<GitConnection> {
  const deadline = Date.now() + patienceMs
  for (;;) {
    const now = await deps.store.tenant(organizationId, async (db) =>
      gitConnections(db, organizationId).get(connection.id),
    )
    // One that says why it is not ready waits for somebody.
    const waits = now.status === 'initializing' && now.statusReason === null
    if (!waits || Date.now() > deadline) return now
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}
