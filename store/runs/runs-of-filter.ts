import type { ApplicationPhase } from '../../domain/pipelines/application-state.ts'
import type { RunOrigin } from '../../domain/runs/run-origin.ts'
import type { RunOutcome } from '../../domain/runs/run-outcome.ts'
import type { RunPhase, RunReason } from '../../domain/runs/run-state.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import {
  faultOfApprover,
  roleOfUser,
  selectApprovalRules,
  selectReleaseRules,
} from '../approval-rule.ts'
import type { Label } from '../with-label.ts'
import { endedAs } from '../with-outcome.ts'
import type { Approver } from './approvers.ts'

export type ListedKind = 'apply' | 'plan' | 'application'

export type RunFilter = {
  /** Of runs of workspaces. */
  phases?: readonly RunPhase[] | undefined
  applicationPhases?: readonly ApplicationPhase[] | undefined
  /** Whether a deployment that is among these phases waits for a person between two of its steps. */
  isWaiting?: boolean | undefined
  reasons?: readonly RunReason[] | undefined
  outcomes?: readonly RunOutcome[] | undefined
  kinds?: readonly ListedKind[] | undefined
  origins?: readonly RunOrigin[] | undefined
  /** Of a run of an application: its target. */
  workspaceIds?: readonly number[] | undefined
  pipelineIds?: readonly number[] | undefined
  authorIds?: readonly number[] | undefined
  /** Of its workspace, target or pipeline: one of them. */
  labels?: readonly Label[] | undefined
  from?: Date | undefined
  to?: Date | undefined
  /** Only runs that are over, and ended then or later. */
  endedFrom?: Date | undefined
  /**
   * Part of the name of its workspace, target or application pipeline, or of the message that it was started with,
   * ignoring case.
   */
  q?: string | undefined
  /** Only runs whose approval this person could give now. */
  approver?: Approver | undefined
}

/** A run of either kind. */
export type RunOfFilter = {
  id: number
  workspaceId: number | null
  isOfApplication: boolean
}

export type RunPage = {
  limit: number
  /** Only runs beyond this id, in the order of the list. */
  cursor: number
  order: 'asc' | 'desc'
}

/** A filter whose text is a pattern of the message alone. */
type Narrowed = Omit<RunFilter, 'labels' | 'q'> & { pattern?: string }

/**
 * A query for the page of runs of both kinds: the first runs of each kind, which each take from an index of their
 * own, and of these the first. The ids of both kinds come from one sequence (docs/decisions/0169), so one key orders
 * them.
 */
export function runsOfFilter(tenant: Tenant, filter: Narrowed, page: RunPage) {
  const { kinds } = filter
  const { db } = unwrap(tenant)
  const workspaces = paged(ofWorkspaces(tenant, filter), page)
  const applications = paged(ofApplications(tenant, filter), page)
  if (kinds?.every((kind) => kind === 'application')) return applications
  if (kinds?.includes('application') === false) return workspaces
  return db.unionAll([workspaces, applications], true).orderBy('id', page.order).limit(page.limit)
}

type Half = { runs: Found; id: string }
type Found = ReturnType<typeof selectRuns>

const paged = ({ runs, id }: Half, { limit, cursor, order }: RunPage): Found =>
  runs
    .where(id, order === 'asc' ? '>' : '<', cursor)
    .orderBy(id, order)
    .limit(limit)

function selectRuns(tenant: Tenant, table: 'workspace_runs' | 'application_runs', columns: object) {
  const { db, organizationId } = unwrap(tenant)
  return db(`${table} as listed`)
    .where('listed.organizationId', organizationId)
    .select({ ...columns, isOfApplication: db.raw(String(table === 'application_runs')) })
}

function ofWorkspaces(tenant: Tenant, filter: Narrowed): Half {
  const columns = { id: 'listed.id', workspaceId: 'listed.workspaceId' }
  const runs = selectRuns(tenant, 'workspace_runs', columns)
  const { kinds, pipelineIds, approver } = filter
  narrow(runs, filter, {
    'listed.phase': filter.phases,
    'listed.kind': kinds,
    'listed.workspaceId': filter.workspaceIds,
  })
  // A run of another pipeline of the workspace has a place there too.
  if (pipelineIds)
    void runs.whereRaw(
      `exists (select from pipeline_runs place where place.organization_id = listed.organization_id
         and place.workspace_run_id = listed.id and place.pipeline_id = any(?::integer[]))`,
      [[...pipelineIds]],
    )
  const rules = `${selectApprovalRules} where r.organization_id = u.organization_id and r.id = listed.id`
  if (approver) awaiting(runs, approver, rules)
  return { runs, id: 'listed.id' }
}

/** SQL: whether a deployment waits for a person between two steps. */
const isConfirmed = `exists (select from deployments d where d.organization_id = listed.organization_id
  and d.pipeline_run_id = listed.pipeline_run_id and d.confirm_step is not null)`

function ofApplications(tenant: Tenant, filter: Narrowed): Half {
  const id = 'listed.pipelineRunId'
  const columns = { id, workspaceId: 'listed.targetWorkspaceId' }
  const runs = selectRuns(tenant, 'application_runs', columns)
  narrow(runs, filter, {
    'listed.phase': filter.applicationPhases,
    'listed.targetWorkspaceId': filter.workspaceIds,
    'listed.pipelineId': filter.pipelineIds,
  })
  const { isWaiting, approver } = filter
  if (isWaiting !== undefined)
    void runs.whereRaw(`(listed.phase <> 'deploying' or ${isConfirmed} = ?)`, [isWaiting])
  const rules = `${selectReleaseRules} where a.organization_id = u.organization_id and a.pipeline_run_id = listed.pipeline_run_id`
  if (approver) awaiting(runs, approver, rules)
  return { runs, id }
}

/** What both kinds have under the same names, and `own`: a column → its values. */
function narrow(
  runs: Found,
  filter: Narrowed,
  own: Record<string, readonly unknown[] | undefined>,
): void {
  const { from, to, endedFrom, outcomes, pattern } = filter
  const lists = {
    ...own,
    'listed.reason': filter.reasons,
    'listed.origin': filter.origins,
    'listed.authorUserId': filter.authorIds,
  }
  for (const [column, values] of Object.entries(lists))
    if (values) void runs.whereIn(column, [...values] as string[])
  if (outcomes) {
    const { sql, bindings } = endedAs('listed', outcomes)
    void runs.whereRaw(sql, bindings)
  }
  if (from) void runs.where('listed.createdAt', '>=', from)
  if (to) void runs.where('listed.createdAt', '<', to)
  if (endedFrom) void runs.where('listed.endedAt', '>=', endedFrom)
  if (pattern !== undefined) void runs.whereILike('listed.startMessage', pattern)
}

const fault = faultOfApprover({
  role: `least(${roleOfUser}, :ceiling::member_role)`,
  platformAdmin: '(:platformAdmin and u.platform_admin)',
  idpSavedBy: ':idpSavedBy::integer[]',
})

function awaiting(runs: Found, approver: Approver, rules: string): void {
  void runs.whereRaw(
    // `offset 0` computes the rule once a run.
    `exists (select from users u cross join lateral (${rules} offset 0) rule
       where u.organization_id = listed.organization_id and u.id = :userId and ${fault} is null)`,
    { ...approver, idpSavedBy: approver.idpSavedBy as never },
  )
}
