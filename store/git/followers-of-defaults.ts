import { unwrap, type Tenant } from '../driver/tenant.ts'
import type { RowsOfRepository } from './rows-of-repository.ts'

/** What reads the repository or the branch that a connection names, since it names none of its own. */
export type Followers = {
  /** They follow the repository, and its branch unless they name their own. */
  workspaces: ReadonlyArray<{ id: number; hasBranch: boolean }>
  /** They follow the branch; a pipeline always names its repository. */
  pipelineIds: readonly number[]
}

/**
 * The followers of a connection's defaults, whose rows stay locked until the transaction ends, in the order of
 * `holdRowsOfRepository`; the caller locks the connection after them.
 */
export async function holdFollowers(tenant: Tenant, connectionId: number): Promise<Followers> {
  const { db, organizationId } = unwrap(tenant)
  const workspaces: Array<{ id: number; hasBranch: boolean }> = await db('workspaces')
    .where({ organizationId, gitConnectionId: connectionId, sourceKind: 'git' })
    .whereRaw(`source->>'repo' is null`)
    .orderBy('id')
    .forNoKeyUpdate()
    .select('id', db.raw(`source->>'branch' is not null as has_branch`))
  const pipelineIds: number[] = await db('pipelines')
    .where({ organizationId, appGitConnectionId: connectionId })
    .whereNull('appBranch')
    .orderBy('id')
    .forNoKeyUpdate()
    .pluck('id')
  return { workspaces, pipelineIds }
}

/**
 * Notes in one statement, since there may be thousands, that these rows read from another place: `userId` becomes an
 * author of their next runs, and what was read before `updated_at` counts as read elsewhere
 * (app/workspaces/source-of-workspace.ts).
 */
export async function noteOtherPlace(
  tenant: Tenant,
  rows: RowsOfRepository,
  change: { userId: number; what: string; parts: readonly string[] },
): Promise<void> {
  const { db, organizationId } = unwrap(tenant)
  await db.raw(
    `with read as (
       -- Not the transaction's start: a version that was stored while this transaction waited must be older.
       update workspaces set updated_at = clock_timestamp()
       where organization_id = :organizationId and id = any(:workspaceIds::integer[]) returning id),
     built as (
       update pipelines set updated_at = clock_timestamp()
       where organization_id = :organizationId and id = any(:pipelineIds::integer[]) returning id),
     noted as (
       insert into workspace_authorship (organization_id, workspace_id, user_id, what)
       select :organizationId::integer, id, :userId::integer, :what::text from read)
     insert into pipeline_authorship (organization_id, pipeline_id, user_id, what, part)
     select :organizationId::integer, id, :userId::integer, :what::text, part
     from built cross join unnest(:parts::text[]) as part`,
    { organizationId, ...rows, ...change, parts: [...change.parts] },
  )
}

/** Those of them with a run that an approval could still let go on. */
export async function waitingAmong(
  tenant: Tenant,
  rows: RowsOfRepository,
): Promise<RowsOfRepository> {
  const { db, organizationId } = unwrap(tenant)
  const { rows: found } = await db.raw(
    `select array(select distinct workspace_id from workspace_runs
         where organization_id = :organizationId and phase in ('awaiting_approval', 'apply_queued')
           and workspace_id = any(:workspaceIds::integer[]) order by workspace_id) as "workspaceIds",
       array(select distinct pipeline_id from application_runs
         where organization_id = :organizationId and phase in ('awaiting_approval', 'deploy_queued')
           and pipeline_id = any(:pipelineIds::integer[]) order by pipeline_id) as "pipelineIds"`,
    { organizationId, ...rows },
  )
  return found[0]
}
