import type { Deps } from '../../../api/deps.ts'
import { connectGitHost } from '../../../gateways/git/connect-git-host.ts'
import { gitConnections, placeOfToken } from '../../../store/git/git-connections.ts'
import { startInitialization } from '../../../app/git/start-initialization.ts'
import type { GitPeer } from './git-peer.ts'

/**
 * A connection as POST leaves it before it has marked anything: row, claim and a workflow to be
 * started. All that is written to the repository is then the workflow's work; and Bitbucket Cloud,
 * which has no hosts but its own, can be a peer for processes that have the real way out.
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
