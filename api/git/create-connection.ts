import type { Caller } from '../../domain/access/caller.ts'
import { invalid } from '../../domain/errors.ts'
import { hostAddress } from '../../domain/git/host-address.ts'
import { productOf } from '../../domain/git/providers.ts'
import { checkBranchName, repositoryName } from '../../domain/git/repository-name.ts'
import { checkTokenShape } from '../../domain/git/token-shape.ts'
import { connectGitHost } from '../../gateways/git/connect-git-host.ts'
import type { GitHost } from '../../gateways/git/git-host.ts'
import { hasCode } from '../../gateways/git/head-moved.ts'
import { opensPrivateHost } from '../../gateways/outbound/resolve-target.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import {
  gitConnections,
  placeOfToken,
  type GitConnection,
} from '../../store/git/git-connections.ts'
import { startInitialization } from '../../app/git/start-initialization.ts'
import { startWebhook } from '../../app/git/start-webhook.ts'
import type { Deps } from '../deps.ts'
import { findRepository, type FoundRepository } from './find-repository.ts'
import { markOrUndo } from './mark-claim.ts'
import type { NewGitConnectionBody } from './schemas.ts'
import { newWebhookSecret, syncWebhook } from '../../app/git/sync-webhook.ts'
import { publicOrigin } from '../http/public-origin.ts'
import { waitForInitialization } from './wait-for-initialization.ts'

/**
 * Connects a Git host: checks the shapes, then the token at the provider, then claims the branch in
 * the store, then writes the marker to the repository. Of two racing callers only the one that wins
 * a step takes the next.
 */
export async function createConnection(
  deps: Deps,
  caller: Caller,
  input: NewGitConnectionBody,
): Promise<GitConnection> {
  const { organizationId } = caller
  const { provider, token, repoType = 'infra' } = input
  const { privateHosts } = deps.outbound.rules
  const address = hostAddress(provider, input.host, (host, port) =>
    opensPrivateHost({ host, port, use: 'git' }, privateHosts),
  )
  const product = productOf(provider, address.host)
  checkTokenShape(product, token)
  const name = nameOf(input, { product, host: address.host })

  const branch = input.branch === undefined ? undefined : checkBranchName(input.branch)

  const host = connectGitHost(deps.outbound, { product, origin: address.origin, token })
  await checkToken(host, name)
  const found = name && (await findRepository(host, { name, branch, repoType }))
  const connection = await deps.store.tenant(organizationId, async (tenant) => {
    const connections = gitConnections(tenant)
    const created = await connections.create({
      provider,
      product,
      ...address,
      token: deps.keyring.seal(placeOfToken(organizationId), token),
      repoType,
      defaultRepo: found ? found.repository.fullName : null,
      defaultBranch: found ? found.branch : (branch ?? null),
      status: found ? 'initializing' : 'healthy',
      statusReason: null,
      createdBy: caller.userId,
      ...(found && {
        webhookSecret: newWebhookSecret(deps, organizationId),
        webhookState: 'pending' as const,
      }),
    })
    if (found) {
      const claim = claimOf(address.host, found)
      await connections.claim(created.id, claim)
      await startInitialization(tenant, { connectionId: created.id, claim })
      await startWebhook(tenant, created.id)
    }
    await auditLog(tenant, actorOf(caller)).record('git.connection_created', {
      target: {
        kind: 'git_connection',
        id: created.id,
        label: created.defaultRepo ?? created.host,
      },
      detail: {
        provider,
        host: address.host,
        repo: created.defaultRepo,
        branch: created.defaultBranch,
        repoType,
      },
    })
    return created
  })
  if (!found) return connection

  const owned = await markOrUndo(deps, caller, {
    claim: { host, connection, ...found },
    undo: async (reason) => undo(deps, caller, { connection, reason }),
  })
  const origin = publicOrigin({ server: { deps } })
  await syncWebhook(deps, organizationId, { host, connection, origin })
  if (owned === 'ours' && repoType === 'application') await markReady(deps, caller, connection)
  return waitForInitialization(deps, caller, connection)
}

async function checkToken(host: GitHost, repo: string | undefined): Promise<void> {
  try {
    await host.checkToken(repo)
  } catch (error) {
    if (!hasCode(error, 'address_not_allowed')) throw error
    const what =
      'is private, local or reserved, which CC_PRIVATE_HOSTS of this installation does not open'
    throw invalid(`host: ${what}.`, [{ path: 'host', message: what }], 'address_not_allowed')
  }
}

async function undo(
  deps: Deps,
  caller: Caller,
  { connection, reason }: { connection: GitConnection; reason: string },
): Promise<void> {
  const { organizationId } = caller
  await deps.store.tenant(organizationId, async (tenant) => {
    await gitConnections(tenant).delete(connection.id)
    await auditLog(tenant, actorOf(caller)).record('git.connection_disconnected', {
      outcome: 'failure',
      target: { kind: 'git_connection', id: connection.id, label: connection.defaultRepo ?? '' },
      detail: { reason },
    })
  })
}

/** An application's repository gets the marker and nothing else, so it is ready. */
export async function markReady(
  deps: Deps,
  { organizationId }: Caller,
  { id }: GitConnection,
): Promise<void> {
  await deps.store.tenant(organizationId, async (tenant) =>
    gitConnections(tenant).setStatus(id, 'healthy', null),
  )
}

export const claimOf = (host: string, { repository, branch }: FoundRepository) => ({
  host,
  repositoryId: repository.id,
  branch,
})

function nameOf(
  { repo, repoUrl }: NewGitConnectionBody,
  on: Pick<Parameters<typeof repositoryName>[1], 'product' | 'host'>,
): string | undefined {
  const [one, other] = [
    repo === undefined ? undefined : repositoryName(repo, { ...on, field: 'repo' }),
    repoUrl === undefined ? undefined : repositoryName(repoUrl, { ...on, field: 'repoUrl' }),
  ]
  if (one && other && one.toLowerCase() !== other.toLowerCase())
    throw invalid('repo and repoUrl name different repositories.', [
      { path: 'repoUrl', message: 'names another repository than repo' },
    ])
  return one ?? other
}
