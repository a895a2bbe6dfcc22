import { conflict } from '../../domain/errors.ts'
import type { Ownership } from '../../domain/git/owner-marker.ts'
import { openHost } from '../../app/git/open-host.ts'
import type { GitHost, GitRepository } from '../../gateways/git/git-host.ts'
import { gitConnections, type GitConnection } from '../../store/git/git-connections.ts'
import type { Deps } from '../deps.ts'

export type OpenedClaim = {
  connection: GitConnection
  host: GitHost
  repository: GitRepository
  owner: Ownership
}

/** The host of a connection and the repository of its claim. Undefined if it was deleted meanwhile. */
export async function openClaim(
  deps: Pick<Deps, 'store' | 'keyring' | 'outbound'>,
  { organizationId, connectionId }: { organizationId: number; connectionId: number },
): Promise<OpenedClaim | undefined> {
  const found = await deps.store.tenant(organizationId, async (tenant) => {
    const connections = gitConnections(tenant)
    const claim = await connections.claimOf(connectionId)
    return (
      claim && {
        claim,
        connection: await connections.get(connectionId),
        organization: await connections.organizationPublicId(),
      }
    )
  })
  if (!found?.connection.defaultRepo) return undefined
  const { connection, claim, organization } = found
  const host = openHost(deps, organizationId, connection)
  const repository = await host.repository(connection.defaultRepo ?? '')
  if (repository.id !== claim.repositoryId)
    throw conflict('git_repository_replaced', 'Another repository has this name by now.')
  return {
    connection,
    host,
    repository,
    owner: {
      organization,
      host: claim.host,
      repository: claim.repositoryId,
      branch: claim.branch,
      connection: connection.id,
    },
  }
}
