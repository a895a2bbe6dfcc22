import { unwrap, type Tenant } from '../driver/tenant.ts'

export type RowsOfRepository = { workspaceIds: number[]; pipelineIds: number[] }

/**
 * The workspaces and pipelines that name a repository of this connection, or without one all that are connected to
 * it. Their rows stay locked until the transaction ends. Locked in the order of all others, so that nothing can deadlock: workspaces, then pipelines,
 * each in ascending order of ids; the caller locks the connection after them.
 */
export async function holdRowsOfRepository(
  tenant: Tenant,
  { connectionId, repo }: { connectionId: number; repo?: string },
): Promise<RowsOfRepository> {
  const { db, organizationId } = unwrap(tenant)
  const workspaceIds: number[] = await db('workspaces')
    .where({ organizationId, gitConnectionId: connectionId })
    .modify((query) => {
      if (repo !== undefined) void query.whereRaw(`lower(source->>'repo') = lower(?)`, [repo])
    })
    .orderBy('id')
    .forNoKeyUpdate()
    .pluck('id')
  const pipelineIds: number[] = await db('pipelines')
    .where({ organizationId, appGitConnectionId: connectionId })
    .modify((query) => {
      if (repo !== undefined) void query.whereRaw('lower(app_repo) = lower(?)', [repo])
    })
    .orderBy('id')
    .forNoKeyUpdate()
    .pluck('id')
  return { workspaceIds, pipelineIds }
}
