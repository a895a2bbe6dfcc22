import type { Caller } from '../../domain/access/caller.ts'
import { gitConnections, type GitConnection } from '../../store/git/git-connections.ts'
import type { Deps } from '../deps.ts'

const patienceMs = 15_000
const pauseMs = 100

/** Waits for the preparation of a repository, which usually takes seconds, so that the caller sees its outcome. */
export async function waitForInitialization(
  deps: Deps,
  { organizationId }: Caller,
  connection: GitConnection,
): Promise<GitConnection> {
  const deadline = Date.now() + patienceMs
  for (;;) {
    const now = await deps.store.tenant(organizationId, async (tenant) =>
      gitConnections(tenant).get(connection.id),
    )
    // With a reason it waits for a person, so there is nothing to wait for.
    const waits = now.status === 'initializing' && now.statusReason === null
    if (!waits || Date.now() > deadline) return now
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}
