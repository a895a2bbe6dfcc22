import { notFound } from '../../domain/errors.ts'
import type { MissingManifest } from '../../domain/manifest/missing-manifest.ts'
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
  'missingManifest',
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
  'artifactRunId',
  'rollbackOf',
  'approvedBefore',
  'warnings',
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
  /** Set where its commit had no manifest. */
  missingManifest: MissingManifest | null
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
  /** The run that built its artifact, of a promotion and of a rollback; null: this one. */
  artifactRunId: number | null
  rollbackOf: number | null
  /** The run by whose approval a rollback is deployed. */
  approvedBefore: number | null
  /** Since the last good deployment, newest first. */
  commits: readonly ReleasedCommit[]
  commitsTruncated: boolean
  warnings: string[]
  releaseDigest: string | null
  approvalExpiresAt: Date | null
  engineRunId: string | null
  /** Other runs of the organization hold its share of the workers' slots. */
  waitsForSlotSince: Date | null
  createdAt: Date
  startedAt: Date | null
  endedAt: Date | null
}

export type ReleasedCommit = { sha: string; author: string; message: string }

/** With everything that callers see of it. */
export type ApplicationRunView = ApplicationRun & {
  pipelineId: number
  /** Of its target, today. */
  criticality: 'standard' | 'production' | null
  /** Address or name of its author; null without one, or if they are deprovisioned. */
  authorLabel: string | null
  stages: Array<{
    name: string
    state: StageState
    by: string | null
    startedAt: string | null
    endedAt: string | null
  }>
  approvals: Array<{
    user: string
    decision: 'approved' | 'rejected'
    /** 0: before the deployment. */
    step: number
    at: string
    comment: string | null
    planDigest: string
    voidedAt: string | null
    voidReason: string | null
  }>
}

export type NewApplicationRun = Pick<ApplicationRun, 'origin' | 'authorUserId'> & {
  pipelineId: number
  authorTokenId?: number | null
  startMessage?: string | null
  branch?: string | null
  tag?: string | null
  /** To build this commit, wherever a branch points. */
  commitSha?: string | null
  /** As it was asked for; else the pipeline's. */
  strategy?: string | null
  /** To deploy what this run built: a promotion, or a rollback. */
  artifactRunId?: number | null
  rollbackOf?: number | null
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
             author_token_id, start_message, branch, tag, commit_sha, target_workspace_id, pipeline_id, strategy,
             artifact_run_id, rollback_of)
           select id, :organizationId, :origin, :authorUserId, :authorTokenId, :startMessage, :branch, :tag,
             :commitSha, target_workspace_id, pipeline_id, :strategy, :artifactRunId, :rollbackOf
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
          tag: run.tag ?? null,
          commitSha: run.commitSha ?? null,
          strategy: run.strategy ?? null,
          artifactRunId: run.artifactRunId ?? null,
          rollbackOf: run.rollbackOf ?? null,
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

/** A run has up to 100 commits with their messages: of more than this, a page has the first of each run. */
const maxCommitBytes = 262_144
const commitsOfList = 5

/** SQL: the commits of `application_runs a`. They are cut here, so that the API does not read a page's 17 MB. */
const whole = { commits: 'a.commits', truncated: 'a.commits_truncated', joined: '' }
const cut = {
  commits: `case when c.cut then jsonb_path_query_array(a.commits, '$[0 to ${commitsOfList - 1}]') else a.commits end`,
  truncated: 'a.commits_truncated or c.cut',
  joined: `cross join (select sum(octet_length(commits::text)) > ${maxCommitBytes} as large from application_runs
      where organization_id = :organizationId and pipeline_run_id = any(:ids::integer[])) page
    cross join lateral (select page.large and jsonb_array_length(a.commits) > ${commitsOfList} as cut) c`,
}

/** These runs with their stages, in one statement. */
export async function applicationRunViews(
  tenant: Tenant,
  ids: readonly number[],
): Promise<ApplicationRunView[]> {
  if (ids.length === 0) return []
  const { db, organizationId } = unwrap(tenant)
  const { commits, truncated, joined } = ids.length > 1 ? cut : whole
  const { rows } = await db.raw(
    `select a.pipeline_run_id as id, ${selectList('a', columns)},
       ${commits} as commits, ${truncated} as "commitsTruncated",
       coalesce(u.email, u.name) as "authorLabel",
       array(select json_build_object('name', s.name, 'state', s.state, 'by', s.by,
           'startedAt', s.started_at, 'endedAt', s.ended_at)
         from stages s
         where s.organization_id = a.organization_id and s.pipeline_run_id = a.pipeline_run_id
         order by s.position) as stages,
       a.pipeline_id as "pipelineId", w.criticality,
       array(select json_build_object('user', coalesce(nullif(g.email, ''), g.name),
           'decision', v.decision, 'step', v.step, 'at', v.at, 'comment', v.comment,
           'planDigest', v.plan_digest, 'voidedAt', v.voided_at, 'voidReason', v.void_reason)
         from approvals v join users g on g.organization_id = v.organization_id and g.id = v.user_id
         where v.organization_id = a.organization_id
           and v.pipeline_run_id in (a.pipeline_run_id, a.approved_before)
         order by v.id) as approvals
     from application_runs a ${joined}
       left join workspaces w on w.organization_id = a.organization_id and w.id = a.target_workspace_id
       left join users u on u.organization_id = a.organization_id and u.id = a.author_user_id
         and u.deprovisioned_at is null
     where a.organization_id = :organizationId and a.pipeline_run_id = any(:ids::integer[])`,
    { organizationId, ids: [...ids] },
  )
  return rows
}
