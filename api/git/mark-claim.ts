import type { Caller } from '../../domain/access/caller.ts'
import type { Ownership } from '../../domain/git/owner-marker.ts'
import type { GitHost, GitRepository } from '../../gateways/git/git-host.ts'
import { hasCode } from '../../gateways/git/head-moved.ts'
import { markBranch } from '../../gateways/git/own-branch.ts'
import { gitConnections, type GitConnection } from '../../store/git/git-connections.ts'
import type { Deps } from '../deps.ts'

/** What the marker of this connection says. */
export async function ownershipOf(
  deps: Deps,
  organizationId: number,
  at: { connection: GitConnection; repository: string; branch: string },
): Promise<Ownership> {
  const organization = await deps.store.tenant(organizationId, async (db) =>
    gitConnections(db, organizationId).organizationPublicId(),
  )
  return {
    organization,
    host: at.connection.host,
    repository: at.repository,
    branch: at.branch,
    connection: at.connection.id,
  }
}

/**
 * Puts the marker on a branch that this connection's row has claimed. `foreign`: another
 * installation owns it. A protected branch is left to the workflow, which asks by pull request.
 */
export async function markClaim(
  deps: Deps,
  { organizationId }: Pick<Caller, 'organizationId'>,
  at: { host: GitHost; connection: GitConnection; repository: GitRepository; branch: string },
): Promise<'ours' | 'foreign' | 'protected'> {
  const owner = await ownershipOf(deps, organizationId, {
    connection: at.connection,
    repository: at.repository.id,
    branch: at.branch,
  })
  try {
    return await markBranch(at.host, deps.keyring, { repository: at.repository, owner })
  } catch (error) {
    if (hasCode(error, 'git_branch_protected')) return 'protected'
    throw error
  }
}
