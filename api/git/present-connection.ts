import type { GitConnection } from '../../store/git/git-connections.ts'
import type { GitConnectionBody } from './schemas.ts'

/** A connection as readers see it: `tokenSet`, never the token. */
export function presentConnection(connection: GitConnection): GitConnectionBody {
  const { id, provider, host, defaultRepo, defaultBranch, repoType, status } = connection
  return {
    id,
    provider,
    host,
    defaultRepo,
    defaultBranch,
    repoType,
    status,
    statusReason: connection.statusReason,
    tokenSet: connection.token.length > 0,
    webhook: { state: connection.webhookState, reason: connection.webhookReason },
    checkedAt: connection.checkedAt.toISOString(),
    createdAt: connection.createdAt.toISOString(),
    updatedAt: connection.updatedAt.toISOString(),
  }
}
