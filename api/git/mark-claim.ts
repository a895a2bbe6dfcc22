import type { Caller } from '../../domain/access/caller.ts'
import type { Ownership } from '../../domain/git/owner-marker.ts'
import type { GitHost, GitRepository } from '../../gateways/git/git-host.ts'
import { refusalOf } from '../../gateways/git/git-refusal.ts'
import { hasCode } from '../../gateways/git/head-moved.ts'
import { markBranch } from '../../gateways/git/own-branch.ts'
import {
  gitConnections,
  repoAlreadyConnected,
  type GitConnection,
} from '../../store/git/git-connections.ts'
import type { Deps } from '../deps.ts'
import { askingProvider } from './asking-provider.ts'

/** What this connection's marker says. */
export async function ownershipOf(
  deps: Deps,
  organizationId: number,
  at: { connection: GitConnection; repository: string; branch: string },
): Promise<Ownership> {
  const organization = await deps.store.tenant(organizationId, async (tenant) =>
    gitConnections(tenant).organizationPublicId(),
  )
  return {
    organization,
    host: at.connection.host,
    repository: at.repository,
    branch: at.branch,
    connection: at.connection.id,
  }
}

type Claimed = {
  host: GitHost
  connection: GitConnection
  repository: GitRepository
  branch: string
}

/**
 * Writes the marker before the caller is answered. If the host is down, the workflow does it
 * (`later`). Any other failure undoes what was begun, so that an error leaves nothing behind.
 */
export async function markOrUndo(
  deps: Deps,
  caller: Caller,
  { claim, undo }: { claim: Claimed; undo: (reason: string) => Promise<void> },
): Promise<'ours' | 'protected' | 'later'> {
  try {
    const owned = await askingProvider(async () => markClaim(deps, caller, claim))
    if (owned === 'foreign') throw repoAlreadyConnected()
    return owned
  } catch (error) {
    const { fault, code = 'internal' } = refusalOf(error) ?? {}
    const final = /^git_(token_rejected|forbidden|refused|not_found)$/.test(code)
    if (fault === 'unavailable' && !final) return 'later'
    await undo(code)
    throw error
  }
}

/**
 * Writes the marker to a branch that this connection claimed. `foreign`: another installation owns
 * the branch. A protected branch is left to the workflow, which opens a pull request.
 */
async function markClaim(
  deps: Deps,
  { organizationId }: Pick<Caller, 'organizationId'>,
  at: Claimed,
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
