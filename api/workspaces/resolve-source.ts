import type { Tenant } from '../../store/driver/tenant.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { invalid } from '../../domain/errors.ts'
import { checkBranchName, repositoryName } from '../../domain/git/repository-name.ts'
import { assertMayChangeGuard } from '../../domain/workspaces/guard-denied.ts'
import { checkInclude, type WorkspaceSource } from '../../domain/git/workspace-source.ts'
import { accountValidations } from '../../store/clouds/account-validations.ts'
import { cloudAccounts } from '../../store/clouds/cloud-accounts.ts'
import { gitConnections, type GitConnection } from '../../store/git/git-connections.ts'
import type { Workspace } from '../../store/workspaces/workspaces.ts'
import type { NewWorkspaceBody } from './schemas.ts'

type Asked = Pick<NewWorkspaceBody, 'source' | 'cloudAccountId' | 'gitConnectionId'>
type Now = Pick<Workspace, 'sourceKind' | 'source' | 'gitConnectionId'> &
  Partial<Pick<Workspace, 'cloudAccountId'>>
export type ResolvedSource = Pick<Workspace, 'sourceKind' | 'source'>

/**
 * Where a workspace's files come from once this change is made. Connections and accounts of
 * another organization do not exist here.
 */
export async function resolveSource(
  tenant: Tenant,
  caller: Caller,
  { asked, now }: { asked: Asked; now: Now },
): Promise<ResolvedSource> {
  if (asked.cloudAccountId) await useAccount(tenant, asked.cloudAccountId, now)
  const { gitConnectionId: id = now.gitConnectionId } = asked
  const changes = asked.source !== undefined || asked.gitConnectionId !== undefined
  const connections = gitConnections(tenant)
  // Held: what begins to follow its defaults must not miss that they are moved (api/git/hold-followed.ts).
  const connection = id
    ? await (changes ? connections.getForShare(id) : connections.get(id))
    : undefined
  const kind = asked.source?.kind ?? now.sourceKind
  if (kind === 'inline') {
    // An unchanged connection is not checked again.
    if (connection?.repoType === 'application' && (asked.gitConnectionId || asked.source))
      throw invalid('A workspace is written to a connection of type "infra".', [
        { path: 'gitConnectionId', message: 'is a connection of type "application"' },
      ])
    return { sourceKind: 'inline', source: {} }
  }
  if (!connection) {
    // The connection was deleted: everything else can be changed, and a run reports what is missing.
    if (!changes) return { sourceKind: 'git', source: now.source }
    throw invalid('A git source needs the connection that it is read through.', [
      { path: 'gitConnectionId', message: 'is required where source.kind is "git"' },
    ])
  }
  const source = asked.source?.kind === 'git' ? toSource(asked.source, connection) : now.source
  // The token may read more than its connection is for, and every member can read a workspace's files.
  // So changing the repository needs the right to connect it.
  const repo = source['repo']
  const another = typeof repo === 'string' && !isSame(repo, connection.defaultRepo)
  if (another && (asked.source || asked.gitConnectionId))
    assertMayChangeGuard(caller, 'source.repo')
  if (!source['repo'] && connection.defaultRepo === null)
    throw invalid('source.repo: the connection has no repository of its own, so name one.', [
      { path: 'source.repo', message: 'is required where the connection has none' },
    ])
  return { sourceKind: 'git', source }
}

/** What the account lends to runs may trust this workspace alone, so it is tried again now. */
async function useAccount(tenant: Tenant, id: number, now: Now): Promise<void> {
  await cloudAccounts(tenant).holdForUse(id)
  if (id !== now.cloudAccountId) await accountValidations(tenant).beginForUse(id)
}

const isSame = (one: string, other: string | null) => one.toLowerCase() === other?.toLowerCase()

type GitBody = Extract<NonNullable<NewWorkspaceBody['source']>, { kind: 'git' }>

function toSource(
  { repo, repoUrl, branch, include }: GitBody,
  { product, host }: GitConnection,
): WorkspaceSource {
  const wanted = branch === undefined ? undefined : checkBranchName(branch, 'source.branch')
  if (include) checkInclude(include)
  const name =
    repo === undefined
      ? repoUrl && repositoryName(repoUrl, { product, host, field: 'source.repoUrl' })
      : repositoryName(repo, { product, host, field: 'source.repo' })
  return {
    ...(name !== undefined && { repo: name }),
    ...(wanted !== undefined && { branch: wanted }),
    ...(include && include.length > 0 && { include }),
  }
}
