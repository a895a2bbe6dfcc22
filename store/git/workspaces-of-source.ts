import { unwrap, type Tenant } from '../driver/tenant.ts'
import type { WorkspaceSource } from '../../domain/git/workspace-source.ts'
import type { GitConnection } from './git-connections.ts'

export type WorkspaceOfConnection = {
  id: number
  name: string
  sourceKind: 'inline' | 'git'
  source: WorkspaceSource
  path: string
}
type Own = Pick<GitConnection, 'id' | 'defaultRepo'>

/** The workspaces that are read from a connection's own repository, or written to it. */
export async function workspacesOfConnection(
  tenant: Tenant,
  { id, defaultRepo }: Own,
): Promise<WorkspaceOfConnection[]> {
  const { db, organizationId } = unwrap(tenant)

  const rows: WorkspaceOfConnection[] = await db('workspaces')
    .where({ organizationId, gitConnectionId: id })
    .orderBy('id')
    .select('id', 'name', 'sourceKind', 'source', 'path')
  return rows.filter(
    ({ source: { repo } }) => repo === undefined || isSameRepository(repo, defaultRepo),
  )
}

/** The workspaces whose files are in a connection's own repository, on one of these branches. */
export async function workspacesOfSource(
  tenant: Tenant,
  {
    connection,
    branches,
  }: {
    connection: Pick<GitConnection, 'id' | 'defaultRepo' | 'defaultBranch'>
    branches: readonly string[]
  },
): Promise<number[]> {
  if (branches.length === 0) return []
  const pushed = new Set(branches)
  const found = await workspacesOfConnection(tenant, connection)
  return found
    .filter(({ sourceKind, source: { repo, branch } }) => {
      const named = branch ?? (repo === undefined ? connection.defaultBranch : null)
      // If only the host knows the branch (its default branch), the host is asked.
      return sourceKind === 'git' && (named === null || pushed.has(named))
    })
    .map(({ id }) => id)
}

const isSameRepository = (one: string, other: string | null) =>
  one.toLowerCase() === other?.toLowerCase()
