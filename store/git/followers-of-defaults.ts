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
  const { workspaces, pipelines } = followers(tenant, connectionId)
  return read({ workspaces: workspaces.forNoKeyUpdate(), pipelines: pipelines.forNoKeyUpdate() })
}

/** The same followers, not locked. */
export const followersOf = async (tenant: Tenant, connectionId: number): Promise<Followers> =>
  read(followers(tenant, connectionId))

function followers(tenant: Tenant, connectionId: number) {
  const { db, organizationId } = unwrap(tenant)
  const workspaces = db('workspaces')
    .where({ organizationId, gitConnectionId: connectionId, sourceKind: 'git' })
    .whereRaw(`source->>'repo' is null`)
    .orderBy('id')
    .select('id', db.raw(`source->>'branch' is not null as has_branch`))
  const pipelines = db('pipelines')
    .where({ organizationId, appGitConnectionId: connectionId })
    .whereNull('appBranch')
    .orderBy('id')
    .pluck('id')
  return { workspaces, pipelines }
}

/** One after the other: locks are taken in this order. */
async function read({ workspaces, pipelines }: ReturnType<typeof followers>): Promise<Followers> {
  return { workspaces: await workspaces, pipelineIds: await pipelines }
}

/**
 * Notes in one statement, since there may be thousands, that these rows read from another place: `userId` becomes an
 * author of the pipelines' next runs, and what was read before `updated_at` counts as read elsewhere
 * (app/workspaces/source-of-workspace.ts). Authors of workspaces are noted with their waiting runs, by `noteChanges`.
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
       where organization_id = :organizationId and id = any(:workspaceIds::integer[])),
     built as (
       update pipelines set updated_at = clock_timestamp()
       where organization_id = :organizationId and id = any(:pipelineIds::integer[]) returning id)
     insert into pipeline_authorship (organization_id, pipeline_id, user_id, what, part)
     select :organizationId::integer, id, :userId::integer, :what::text, part
     from built cross join unnest(:parts::text[]) as part`,
    { organizationId, ...rows, ...change, parts: [...change.parts] },
  )
}

/** Those of the pipelines with a run that an approval could still let go on. */
export async function pipelinesThatWait(
  tenant: Tenant,
  pipelineIds: readonly number[],
): Promise<number[]> {
  const { db, organizationId } = unwrap(tenant)
  const { rows } = await db.raw(
    `select distinct pipeline_id as id from application_runs
     where organization_id = :organizationId and phase in ('awaiting_approval', 'deploy_queued')
       and pipeline_id = any(:pipelineIds::integer[]) order by id`,
    { organizationId, pipelineIds: [...pipelineIds] },
  )
  return rows.map(({ id }: { id: number }) => id)
}
