import type { ApprovalReason } from '../../domain/runs/approval-reason.ts'
import type { RunOrigin } from '../../domain/runs/run-origin.ts'
import type { RunPhase, RunReason } from '../../domain/runs/run-state.ts'
import { askNamed } from '../driver/ask-prepared.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import { deployedRunId } from '../deployed-run.ts'

/** The newest run of a workspace that can apply, as lists of workspaces show it. */
export type NewestRun = {
  id: number
  number: number
  phase: RunPhase
  reason: RunReason | null
  approvalReasons: ApprovalReason[]
  destroy: boolean
  summary: unknown
  origin: RunOrigin
  authorUserId: number | null
  /** Address or name of its author; null without one, or if they are deprovisioned. */
  authorLabel: string | null
  commitSha: string | null
  pullRequest: number | null
  /** The run of an application whose release it deploys. */
  deployedRunId: number | null
  createdAt: Date
  endedAt: Date | null
}

export type ManagedPipeline = { id: number; workspaceId: number; newest: NewestRun | null }

type Row = Omit<NewestRun, 'id'> & { runId: number | null; pipelineId: number; workspaceId: number }

/** The pipelines of these workspaces, each with its newest run, in one statement. */
export async function managedPipelines(
  tenant: Tenant,
  workspaceIds: readonly number[],
): Promise<ManagedPipeline[]> {
  if (workspaceIds.length === 0) return []
  const { db, organizationId } = unwrap(tenant)
  const query = db.raw(
    `select p.id as "pipelineId", p.target_workspace_id as "workspaceId", p.last_number as number,
       r.id as "runId", r.phase, r.reason, r.approval_reasons as "approvalReasons", r.destroy,
       r.summary, r.origin, r.author_user_id as "authorUserId",
       coalesce(u.email, u.name) as "authorLabel", v.commit_sha as "commitSha",
       ${deployedRunId} as "deployedRunId", g.number as "pullRequest", r.created_at as "createdAt", r.ended_at as "endedAt"
     from pipelines p
       left join workspace_runs r
         on r.organization_id = p.organization_id and r.id = p.last_workspace_run_id
       left join configuration_versions v
         on v.organization_id = r.organization_id and v.id = r.configuration_version_id
       left join git_pull_requests g
         on g.organization_id = v.organization_id and g.id = v.pull_request_id
       left join users u on u.organization_id = r.organization_id and u.id = r.author_user_id
         and u.deprovisioned_at is null
     where p.organization_id = ? and p.managed and p.target_workspace_id = any(array(select unnest(?::integer[])))`,
    [organizationId, [...workspaceIds]],
  )
  const rows = await askNamed<Row>(db, 'managed-pipelines', query)
  return rows.map(({ runId, pipelineId, workspaceId, ...run }) => ({
    id: pipelineId,
    workspaceId,
    newest: runId === null ? null : { id: runId, ...run },
  }))
}
