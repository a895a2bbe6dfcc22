import { notFound } from '../../domain/errors.ts'
import type { ApplicationPhase } from '../../domain/pipelines/application-state.ts'
import type { RunOrigin } from '../../domain/runs/run-origin.ts'
import type { RunReason, StageState } from '../../domain/runs/run-state.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import { selectList } from '../select-list.ts'
import type { PipelineRun } from './pipeline-runs.ts'

const columns = [
  'phase',
  'reason',
  'message',
  'startMessage',
  'origin',
  'authorUserId',
  'targetWorkspaceId',
  'branch',
  'tag',
  'strategy',
  'triggerId',
  'commitSha',
  'commitMessage',
  'commitAuthor',
  'committedAt',
  'releaseDigest',
  'approvalExpiresAt',
  'engineRunId',
  'waitsForSlotSince',
  'createdAt',
  'startedAt',
  'endedAt',
] as const

/** What starts a run of an application. */
export type ApplicationOrigin = Extract<RunOrigin, 'person' | 'push' | 'schedule'>

/** A run of an application. Its id is its pipeline run's. */
export type ApplicationRun = {
  id: number
  phase: ApplicationPhase
  reason: RunReason | null
  message: string | null
  startMessage: string | null
  origin: ApplicationOrigin
  authorUserId: number | null
  targetWorkspaceId: number | null
  /** Null: the branch that the connection names, or none for a run of a commit. */
  branch: string | null
  tag: string | null
  /** As it was asked for; null: the pipeline's. */
  strategy: string | null
  /** The delivery that told of its push. */
  triggerId: number | null
  commitSha: string | null
  commitMessage: string | null
  commitAuthor: string | null
  committedAt: Date | null
  releaseDigest: string | null
  approvalExpiresAt: Date | null
  engineRunId: string | null
  /** Other runs of the organization hold its share of the workers' slots. */
  waitsForSlotSince: Date | null
  createdAt: Date
  startedAt: Date | null
  endedAt: Date | null
}

/** With everything that callers see of it. */
export type ApplicationRunView = ApplicationRun & {
  /** Address or name of its author; null without one, or if they are deprovisioned. */
  authorLabel: string | null
  stages: Array<{
    name: string
    state: StageState
    by: string | null
    startedAt: string | null
    endedAt: string | null
  }>
}

export type NewApplicationRun = Pick<ApplicationRun, 'origin' | 'authorUserId'> & {
  pipelineId: number
  authorTokenId?: number | null
  startMessage?: string | null
  branch?: string | null
  /** To build this commit, wherever a branch points. */
  commitSha?: string | null
}

/** The runs of one organization's application pipelines. */
export function applicationRuns(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  return {
    /**
     * Creates the run, queued, with the next number of its pipeline, whose newest run it becomes. As
     * `pipelineRuns.create`, it keeps the pipeline's row locked. Its stages are created beside it.
     */
    async create({ pipelineId, ...run }: NewApplicationRun): Promise<PipelineRun> {
      const { rows } = await db.raw(
        `with next as (select nextval('run_ids')::integer as id),
         taken as (
           update pipelines p set last_number = p.last_number + 1, last_application_run_id = next.id
           from next
           where p.organization_id = :organizationId and p.id = :pipelineId and p.kind = 'application'
           returning p.id as pipeline_id, p.last_number, p.target_workspace_id, next.id),
         placed as (
           insert into pipeline_runs (id, organization_id, pipeline_id, number)
           select id, :organizationId, pipeline_id, last_number from taken
           returning id, pipeline_id as "pipelineId", number, workspace_run_id as "workspaceRunId",
             created_at as "createdAt"),
         created as (
           insert into application_runs (pipeline_run_id, organization_id, origin, author_user_id,
             author_token_id, start_message, branch, commit_sha, target_workspace_id)
           select id, :organizationId, :origin, :authorUserId, :authorTokenId, :startMessage, :branch,
             :commitSha, target_workspace_id
           from taken)
         select * from placed`,
        {
          organizationId,
          pipelineId,
          origin: run.origin,
          authorUserId: run.authorUserId,
          authorTokenId: run.authorTokenId ?? null,
          startMessage: run.startMessage ?? null,
          branch: run.branch ?? null,
          commitSha: run.commitSha ?? null,
        },
      )
      if (!rows[0]) throw notFound()
      return rows[0]
    },

    async phaseOf(id: number): Promise<ApplicationPhase> {
      const row = await db('application_runs')
        .where({ organizationId, pipelineRunId: id })
        .first('phase')
      if (!row) throw notFound()
      return row.phase
    },
  }
}

/** These runs with their stages, in one statement. */
export async function applicationRunViews(
  tenant: Tenant,
  ids: readonly number[],
): Promise<ApplicationRunView[]> {
  if (ids.length === 0) return []
  const { db, organizationId } = unwrap(tenant)
  const { rows } = await db.raw(
    `select a.pipeline_run_id as id, ${selectList('a', columns)},
       coalesce(u.email, u.name) as "authorLabel",
       array(select json_build_object('name', s.name, 'state', s.state, 'by', s.by,
           'startedAt', s.started_at, 'endedAt', s.ended_at)
         from stages s
         where s.organization_id = a.organization_id and s.pipeline_run_id = a.pipeline_run_id
         order by s.position) as stages
     from application_runs a
       left join users u on u.organization_id = a.organization_id and u.id = a.author_user_id
         and u.deprovisioned_at is null
     where a.organization_id = ? and a.pipeline_run_id = any(?::integer[])`,
    [organizationId, [...ids]],
  )
  return rows
}
