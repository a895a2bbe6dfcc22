import { ownedElsewhere } from '../../domain/git/connection-health.ts'
import { gitConnections, type GitStatus } from '../../store/git/git-connections.ts'
import type { InitializeRepositoryInput } from '../../workflows/git/contract.ts'
import type { Deps } from '../deps.ts'

/**
 * Last step: stores the outcome. Without a code it is a success. Idempotent: an outcome that is
 * already stored is left as it is, so a repeated failure does not count as a second failed check.
 */
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
      const { status, reason } = outcomeOf(code)
      const before = await connections.getForUpdate(connectionId)
      if (before.status === status && before.statusReason === reason) return
      await connections.setStatus(connectionId, status, reason)
    })
  }

const outcomeOf = (code: string | undefined): { status: GitStatus; reason: string | null } =>
  code === undefined
    ? { status: 'healthy', reason: null }
    : {
        status: code === 'git_token_rejected' ? 'invalid_token' : 'error',
        reason: reasons[code] ?? `Preparation failed: ${code}.`,
      }

const reasons: Record<string, string> = {
  repo_already_connected: ownedElsewhere,
  git_branch_protected:
    'The branch is protected: let this token push to it, or choose another branch.',
  git_token_rejected: 'The provider rejected the token.',
  git_forbidden: 'The token may not write to this repository.',
  git_repository_replaced: 'Another repository has this name by now.',
}
