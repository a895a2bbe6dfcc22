import type { Deps } from '../../../api/deps.ts'
import { connectGitHost } from '../../../gateways/git/connect-git-host.ts'
import { gitConnections, placeOfToken } from '../../../store/git/git-connections.ts'
import { startInitialization } from '../../../app/git/start-initialization.ts'
import type { GitPeer } from './git-peer.ts'

/**
 * Creates a connection as POST does before it marks the repository: the row, the claim and a queued
 * workflow. The workflow then makes all writes to the repository. It also lets processes with the
 * real outbound client use the peer as Bitbucket Cloud, whose address POST does not let a user
 * choose.
 */
export async function connectDirectly(
  { store, keyring, outbound }: Pick<Deps, 'store' | 'keyring' | 'outbound'>,
  organizationId: number,
  at: { peer: GitPeer; repo: string; token?: string; beforeStart?: () => void },
): Promise<number> {
  const { peer, repo, token = peer.token() } = at
  const { product, provider } = peer
  const origin = peer.server.url
  const repository = await connectGitHost(outbound, { product, origin, token }).repository(repo)
  const claim = { host: new URL(origin).host, repositoryId: repository.id, branch: 'main' }
  at.beforeStart?.()
  return store.tenant(organizationId, async (tenant) => {
    const connections = gitConnections(tenant)
    const { id } = await connections.create({
      provider,
      product,
      host: claim.host,
      origin,
      token: keyring.seal(placeOfToken(organizationId), token),
      repoType: 'infra',
      defaultRepo: repo,
      defaultBranch: claim.branch,
      status: 'initializing',
      statusReason: null,
      createdBy: null,
    })
    await connections.claim(id, claim)
    await startInitialization(tenant, { connectionId: id, claim })
    return id
  })
}
