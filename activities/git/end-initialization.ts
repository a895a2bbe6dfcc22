import { ownedElsewhere } from '../../domain/git/connection-health.ts'
import { gitConnections } from '../../store/git/git-connections.ts'
import type { InitializeRepositoryInput } from '../../workflows/git/contract.ts'
import type { Deps } from '../deps.ts'

/** Last step: stores the outcome. Without a code it is a success. */
export const endInitialization =
  ({ store }: Deps) =>
  async ({
    organizationId,
    connectionId,
    code,
  }: InitializeRepositoryInput & { code?: string }): Promise<void> => {
    await store.tenant(organizationId, async (tenant) => {
      const connections = gitConnections(tenant)
      // Deleted meanwhile.
      if (!(await connections.claimOf(connectionId))) return
      if (code === undefined) return connections.setStatus(connectionId, 'healthy', null)
      const status = code === 'git_token_rejected' ? 'invalid_token' : 'error'
      await connections.setStatus(
        connectionId,
        status,
        reasons[code] ?? `Preparation failed: ${code}.`,
      )
    })
  }

const reasons: Record<string, string> = {
  repo_already_connected: ownedElsewhere,
  git_branch_protected:
    'The branch is protected: let this token push to it, or choose another branch.',
  git_token_rejected: 'The provider rejected the token.',
  git_forbidden: 'The token may not write to this repository.',
  git_repository_replaced: 'Another repository has this name by now.',
}
