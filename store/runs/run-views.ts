import { askNamed } from '../driver/ask-prepared.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import type { StageState } from '../../domain/runs/run-state.ts'
import type { ApprovalStage } from './approvals.ts'
import { deployedRunId } from '../deployed-run.ts'
import { gatesOfList } from './gates-of-list.ts'
import { selectedOfRun, type WorkspaceRun } from './workspace-runs.ts'

/** In JSON: timestamps are ISO 8601 text. */
type Timestamp = string

/** A run with everything of its own that callers see. */
export type RunView = WorkspaceRun & {
  /** Address or name of its author; null without one, or if they are deprovisioned. */
  authorLabel: string | null
  /** The run of an application whose release it deploys. */
  deployedRunId: number | null
  version: {
    number: number
    filesSha256: string
    commitSha: string | null
    commitAuthor: string | null
    commitMessage: string | null
    /** The number that the Git host gave it. */
    pullRequest: number | null
  }
  stages: Array<{
    name: string
    state: StageState
    by: string | null
    startedAt: Timestamp | null
    endedAt: Timestamp | null
  }>
  approvals: Array<{
    user: string
    decision: 'approved' | 'rejected'
    stage: ApprovalStage
    at: Timestamp
    comment: string | null
    planDigest: string
    voidedAt: Timestamp | null
    voidReason: string | null
  }>
  /** Who holds the lock of its workspace. */
  lock: {
    kind: 'user' | 'run' | 'cli'
    workspaceRunId: number | null
    label: string
    reason: string | null
    since: Timestamp
  } | null
}

const selectViews = (columns: string) => `
  select ${columns}, coalesce(u.email, u.name) as "authorLabel",
    ${deployedRunId} as "deployedRunId",
    json_build_object('number', v.number, 'filesSha256', v.files_sha256, 'commitSha', v.commit_sha,
      'commitAuthor', v.commit_author, 'commitMessage', v.commit_message,
      'pullRequest', p.number) as version,
    array(select json_build_object('name', s.name, 'state', s.state, 'by', s.by,
        'startedAt', s.started_at, 'endedAt', s.ended_at)
      from stages s where s.organization_id = r.organization_id and s.workspace_run_id = r.id
      order by s.position) as stages,
    array(select json_build_object('user', coalesce(nullif(g.email, ''), g.name),
        'decision', a.decision, 'stage', a.stage, 'at', a.at, 'comment', a.comment,
        'planDigest', a.plan_digest, 'voidedAt', a.voided_at, 'voidReason', a.void_reason)
      from approvals a join users g on g.organization_id = a.organization_id and g.id = a.user_id
      where a.organization_id = r.organization_id and a.workspace_run_id = r.id
      order by a.id) as approvals,
    case when l.workspace_id is not null then json_build_object('kind', l.kind,
      'workspaceRunId', l.workspace_run_id, 'label', l.label, 'reason', l.reason, 'since', l.since)
      end as lock
  from workspace_runs r
    join configuration_versions v
      on v.organization_id = r.organization_id and v.id = r.configuration_version_id
    left join git_pull_requests p
      on p.organization_id = v.organization_id and p.id = v.pull_request_id
    left join users u on u.organization_id = r.organization_id and u.id = r.author_user_id
      and u.deprovisioned_at is null
    left join workspace_locks l
      on l.organization_id = r.organization_id and l.workspace_id = r.workspace_id`

const viewOfRun = selectViews(selectedOfRun())
const viewsOfList = selectViews(selectedOfRun({ gates: gatesOfList }))

/** These runs, each with what callers see of it, in one statement. Of several runs each gate has its first findings. */
export async function runViews(tenant: Tenant, ids: readonly number[]): Promise<RunView[]> {
  if (ids.length === 0) return []
  const { db, organizationId } = unwrap(tenant)
  const isList = ids.length > 1
  const query = db.raw(
    `${isList ? viewsOfList : viewOfRun} where r.organization_id = ? and r.id = any(array(select unnest(?::integer[])))`,
    [organizationId, [...ids]],
  )
  return askNamed<RunView>(db, isList ? 'run-views-of-list' : 'run-view', query)
}

export type TurnHolder = Pick<
  WorkspaceRun,
  'id' | 'workspaceId' | 'origin' | 'startedAt' | 'createdAt'
> & { author: { name: string; email: string | null; userName: string | null } | null }

/** The runs that have the turns of these workspaces, with their authors. */
export async function turnHolders(
  tenant: Tenant,
  workspaceIds: readonly number[],
): Promise<TurnHolder[]> {
  if (workspaceIds.length === 0) return []
  const { db, organizationId } = unwrap(tenant)
  const query = db.raw(
    `select r.id, r.workspace_id as "workspaceId", r.origin,
       r.started_at as "startedAt", r.created_at as "createdAt",
       case when u.id is not null then
         json_build_object('name', u.name, 'email', u.email, 'userName', u.user_name) end as author
     from workspace_runs r
       left join users u on u.organization_id = r.organization_id and u.id = r.author_user_id
         and u.deprovisioned_at is null
     where r.organization_id = ? and r.workspace_id = any(array(select unnest(?::integer[]))) and r.kind = 'apply'
       and r.phase in ('planning', 'awaiting_approval', 'apply_queued', 'applying')`,
    [organizationId, [...workspaceIds]],
  )
  return askNamed<TurnHolder>(db, 'turn-holders', query)
}
