import { invalid } from '../../domain/errors.ts'
import { isStatementTimeout } from '../driver/connect.ts'
import { limitStatements } from '../driver/limit-statements.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import type { RunOrigin } from '../../domain/runs/run-origin.ts'
import type { RunOutcome } from '../../domain/runs/run-outcome.ts'
import type { RunPhase, RunReason } from '../../domain/runs/run-state.ts'
import { faultOfApprover, roleOfUser, selectApprovalRules } from '../approval-rule.ts'
import { contains } from '../contains.ts'
import { withLabel, type Label } from '../with-label.ts'
import type { Approver } from './approvers.ts'
import { endedAs } from '../with-outcome.ts'

const maxSearchMs = 5_000

export type RunFilter = {
  phases?: readonly RunPhase[] | undefined
  reasons?: readonly RunReason[] | undefined
  outcomes?: readonly RunOutcome[] | undefined
  kinds?: ReadonlyArray<'apply' | 'plan'> | undefined
  origins?: readonly RunOrigin[] | undefined
  workspaceIds?: readonly number[] | undefined
  pipelineIds?: readonly number[] | undefined
  authorIds?: readonly number[] | undefined
  /** Of its workspace or its pipeline: one of them. */
  labels?: readonly Label[] | undefined
  from?: Date | undefined
  to?: Date | undefined
  /** Only runs that are over, and ended then or later. */
  endedFrom?: Date | undefined
  /** Part of the workspace's name or of the message that it was started with, ignoring case. */
  q?: string | undefined
  /** Only runs whose approval this person could give now. */
  approver?: Approver | undefined
}

/** A run in a list over all workspaces. Its id is its workspace run's. */
export type ListedRun = {
  id: number
  /** Null for a plan-only run: it is in no pipeline. */
  number: number | null
  pipelineId: number | null
  workspaceId: number
  workspaceName: string
  criticality: 'standard' | 'production'
}

const fault = faultOfApprover({
  role: `least(${roleOfUser}, :ceiling::member_role)`,
  platformAdmin: '(:platformAdmin and u.platform_admin)',
  idpSavedBy: ':idpSavedBy::integer[]',
})

export type RunPage = {
  limit: number
  /** Only runs beyond this id, in the order of the list. */
  cursor: number
  order: 'asc' | 'desc'
}

/** A page of the runs of all workspaces. Ids rise with time, so their order is the order of the starts. */
export async function listedRuns(
  tenant: Tenant,
  filter: RunFilter,
  page: RunPage,
): Promise<ListedRun[]> {
  // A text that few runs have is looked for in all of them.
  await limitStatements(tenant, maxSearchMs)
  try {
    const { labels } = filter
    return labels
      ? await labelled(tenant, { ...filter, labels }, page)
      : await found(tenant, filter, page)
  } catch (error) {
    if (!isStatementTimeout(error)) throw error
    throw invalid(
      'The search took too long. Narrow it, by a workspace, a state or a time.',
      undefined,
      'search_too_broad',
    )
  }
}

const found = async (tenant: Tenant, filter: RunFilter, page: RunPage): Promise<ListedRun[]> =>
  filter.q === undefined
    ? pageOf(tenant, filter, page)
    : searched(tenant, { ...filter, q: filter.q }, page)

/**
 * The pages of the workspaces and of the pipelines that have the label, as one: in one search, neither
 * would have an index.
 */
async function labelled(
  tenant: Tenant,
  { labels, ...filter }: RunFilter & { labels: readonly Label[] },
  page: RunPage,
): Promise<ListedRun[]> {
  const idsOf = async (of: 'workspace' | 'pipeline'): Promise<number[]> => {
    const rows = await withLabel(tenant, of, labels).distinct()
    return rows.map(({ id }) => id)
  }
  const both = (ids: readonly number[], asked: readonly number[] | undefined) =>
    asked ? ids.filter((id) => asked.includes(id)) : ids
  const workspaceIds = both(await idsOf('workspace'), filter.workspaceIds)
  const pipelineIds = both(await idsOf('pipeline'), filter.pipelineIds)
  const pages = [
    workspaceIds.length > 0 ? await found(tenant, { ...filter, workspaceIds }, page) : [],
    pipelineIds.length > 0 ? await found(tenant, { ...filter, pipelineIds }, page) : [],
  ]
  return merged(pages, page)
}

function merged(
  pages: ReadonlyArray<readonly ListedRun[]>,
  { order, limit }: RunPage,
): ListedRun[] {
  const runs = new Map(pages.flat().map((run) => [run.id, run]))
  const sign = order === 'asc' ? 1 : -1
  return [...runs.values()].toSorted((a, b) => sign * (a.id - b.id)).slice(0, limit)
}

/** Both pages that the text is found in, as one: together they would be one search without an index. */
async function searched(
  tenant: Tenant,
  filter: RunFilter & { q: string },
  page: RunPage,
): Promise<ListedRun[]> {
  const { db, organizationId } = unwrap(tenant)
  const pattern = contains(filter.q)
  const named = await db('workspaces')
    .where({ organizationId })
    .whereILike('name', pattern)
    .pluck('id')
  const { workspaceIds: asked } = filter
  const workspaceIds = asked ? named.filter((id: number) => asked.includes(id)) : named
  const [ofWorkspaces, ofMessages] = await Promise.all([
    workspaceIds.length === 0 ? [] : pageOf(tenant, { ...filter, workspaceIds }, page),
    pageOf(tenant, { ...filter, pattern }, page),
  ])
  return merged([ofWorkspaces, ofMessages], page)
}

async function pageOf(
  tenant: Tenant,
  filter: RunFilter & { pattern?: string },
  { limit, cursor, order }: RunPage,
): Promise<ListedRun[]> {
  const rows = select(tenant)
    .where('listed.id', order === 'asc' ? '>' : '<', cursor)
    .orderBy('listed.id', order)
    .limit(limit)
  narrow(rows, filter)
  if (filter.pattern !== undefined) void rows.whereILike('listed.startMessage', filter.pattern)
  if (filter.approver) awaiting(rows, tenant, filter.approver)
  return rows
}

type Found = ReturnType<typeof select>

function select(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  return db('workspace_runs as listed')
    .join('workspaces as w', (on) =>
      on.on('w.organizationId', 'listed.organizationId').on('w.id', 'listed.workspaceId'),
    )
    .leftJoin('pipeline_runs as p', (on) =>
      on.on('p.organizationId', 'listed.organizationId').on('p.id', 'listed.id'),
    )
    .where('listed.organizationId', organizationId)
    .select('listed.id', 'p.number', 'p.pipelineId', 'listed.workspaceId', 'w.criticality')
    .select({ workspaceName: 'w.name' })
}

function narrow(found: Found, filter: RunFilter): void {
  const { from, to, endedFrom, pipelineIds, outcomes } = filter
  const lists = {
    'listed.phase': filter.phases,
    'listed.reason': filter.reasons,
    'listed.kind': filter.kinds,
    'listed.origin': filter.origins,
    'listed.workspaceId': filter.workspaceIds,
    'listed.authorUserId': filter.authorIds,
  }
  for (const [column, values] of Object.entries(lists))
    if (values) void found.whereIn(column, [...values])
  if (outcomes) {
    const { sql, bindings } = endedAs('listed', outcomes)
    void found.whereRaw(sql, bindings)
  }
  if (from) void found.where('listed.createdAt', '>=', from)
  if (to) void found.where('listed.createdAt', '<', to)
  if (endedFrom) void found.where('listed.endedAt', '>=', endedFrom)
  // A run of another pipeline of the workspace has a place there too.
  if (pipelineIds)
    void found.whereRaw(
      `exists (select from pipeline_runs place where place.organization_id = listed.organization_id
         and place.workspace_run_id = listed.id and place.pipeline_id = any(?::integer[]))`,
      [[...pipelineIds]],
    )
}

function awaiting(found: Found, tenant: Tenant, approver: Approver): void {
  const { organizationId } = tenant
  void found.whereRaw(
    // `offset 0` computes the rule once a run.
    `exists (select from users u cross join lateral (${selectApprovalRules}
           where r.organization_id = u.organization_id and r.id = listed.id offset 0) rule
         where u.organization_id = :organizationId and u.id = :userId and ${fault} is null)`,
    { organizationId, ...approver, idpSavedBy: approver.idpSavedBy as never },
  )
}
