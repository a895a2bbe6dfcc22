import { notFound } from '../../domain/errors.ts'
import type { Strategy } from '../../domain/manifest/resolve-strategy.ts'
import type { ApplicationPhase } from '../../domain/pipelines/application-state.ts'
import type { RunOrigin } from '../../domain/runs/run-origin.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import { latestFirst } from '../latest-first.ts'

/** All that decides whether and how a run's artifact is deployed. */
export type Release = {
  runId: number
  number: number
  phase: ApplicationPhase
  origin: RunOrigin
  pipelineId: number
  pipelineName: string
  targetWorkspaceId: number | null
  targetName: string | null
  criticality: 'standard' | 'production' | null
  /** The run's, else the pipeline's; null for what the manifest says. */
  strategyLabel: string | null
  resolvedStrategy: Strategy | null
  rollbackOf: number | null
  approvedBefore: number | null
  releaseDigest: string | null
  rollbackApproval: 'always' | 'once'
  agentWaitMinutes: number
  approvalExpiresAt: Date | null
  commitSha: string | null
  /** YAML, of the run that built the artifact. */
  manifest: string | null
  manifestSha256: string | null
  /** The run that built the artifact. `artifactDigest` is null before there is one, and once it was swept. */
  artifactRunId: number
  artifactDigest: string | null
}

/** A variable of the deployment, by the keyed hash of its value. */
export type VariableHash = { key: string; sensitive: boolean; valueMac: string }

/** What runs of one organization's application pipelines deploy. */
export function releases(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  return {
    /**
     * Keeps the pipeline's row locked until the transaction ends, before any run is: which of its runs
     * deploys is decided under this lock.
     */
    async holdPipeline(pipelineId: number): Promise<void> {
      const { rows } = await db.raw(
        `select 1 from pipelines where organization_id = ? and id = ? for no key update`,
        [organizationId, pipelineId],
      )
      if (!rows[0]) throw notFound()
    },

    async pipelineOf(runId: number): Promise<number> {
      const row = await db('application_runs')
        .where({ organizationId, pipelineRunId: runId })
        .first('pipelineId')
      if (!row) throw notFound()
      return row.pipelineId
    },

    async get(runId: number): Promise<Release> {
      const { rows } = await db.raw(
        `select a.pipeline_run_id as "runId", r.number, a.phase, a.origin, a.pipeline_id as "pipelineId",
           p.name as "pipelineName", a.target_workspace_id as "targetWorkspaceId", w.name as "targetName",
           w.criticality, coalesce(a.strategy, p.strategy) as "strategyLabel",
           a.resolved_strategy as "resolvedStrategy", a.rollback_of as "rollbackOf",
           a.approved_before as "approvedBefore", a.release_digest as "releaseDigest",
           p.rollback_approval as "rollbackApproval", p.agent_wait_minutes as "agentWaitMinutes",
           a.approval_expires_at as "approvalExpiresAt", a.commit_sha as "commitSha",
           coalesce(b.manifest, a.manifest) as manifest,
           coalesce(b.manifest_sha256, a.manifest_sha256) as "manifestSha256",
           coalesce(a.artifact_run_id, a.pipeline_run_id) as "artifactRunId", f.kept_digest as "artifactDigest"
         from application_runs a
           join pipeline_runs r on r.organization_id = a.organization_id and r.id = a.pipeline_run_id
           join pipelines p on p.organization_id = a.organization_id and p.id = a.pipeline_id
           left join workspaces w on w.organization_id = a.organization_id and w.id = a.target_workspace_id
           left join application_runs b on b.organization_id = a.organization_id
             and b.pipeline_run_id = a.artifact_run_id
           left join artifacts f on f.organization_id = a.organization_id
             and f.pipeline_run_id = coalesce(a.artifact_run_id, a.pipeline_run_id)
         where a.organization_id = ? and a.pipeline_run_id = ?`,
        [organizationId, runId],
      )
      if (!rows[0]) throw notFound()
      return rows[0]
    },

    /** What an approval is bound to. */
    async note(
      runId: number,
      { strategy, digest }: { strategy: Strategy; digest: string },
    ): Promise<void> {
      await db('application_runs')
        .where({ organizationId, pipelineRunId: runId })
        .update({ resolvedStrategy: JSON.stringify(strategy), releaseDigest: digest })
    },

    async setApprovalExpiry(runId: number, approvalExpiresAt: Date): Promise<void> {
      await db('application_runs')
        .where({ organizationId, pipelineRunId: runId })
        .update({ approvalExpiresAt })
    },

    async setApprovedBefore(runId: number, approvedBefore: number | null): Promise<void> {
      await db('application_runs')
        .where({ organizationId, pipelineRunId: runId })
        .update({ approvedBefore })
    },

    /** Of the pipeline's variables for the deployment, in one order. */
    async variableHashes(pipelineId: number): Promise<VariableHash[]> {
      const { rows } = await db.raw(
        `select key, sensitive, encode(value_mac, 'hex') as "valueMac" from pipeline_variables
         where organization_id = ? and pipeline_id = ? and phase = 'deploy' order by key`,
        [organizationId, pipelineId],
      )
      return rows
    },

    /** The runs of a pipeline that are not over, oldest first, and whether each has what it deploys. */
    async live(pipelineId: number): Promise<LiveRelease[]> {
      const { rows } = await db.raw(
        `select a.pipeline_run_id as "runId", r.number, a.phase, a.origin, a.tag,
           a.rollback_of is not null as "isRollback",
           a.release_digest is not null as "hasArtifact"
         from application_runs a
           join pipeline_runs r on r.organization_id = a.organization_id and r.id = a.pipeline_run_id
         where a.organization_id = ? and a.pipeline_id = ?
           and a.phase not in ('succeeded', 'failed', 'canceled')
         order by r.number`,
        [organizationId, pipelineId],
      )
      return rows
    },

    /** The number of the newest run that this pipeline deployed well to this workspace; 0 without one. */
    async newestDeployed(pipelineId: number, workspaceId: number): Promise<number> {
      const { rows } = await db.raw(
        `select r.number from deployments d
           join pipeline_runs r on r.organization_id = d.organization_id and r.id = d.pipeline_run_id
         where d.organization_id = ? and d.pipeline_id = ? and d.workspace_id = ? and d.outcome = 'succeeded'
         order by r.number desc limit 1`,
        [organizationId, pipelineId, workspaceId],
      )
      return rows[0]?.number ?? 0
    },

    /** The run of the pipeline's last good deployment to this target; `ofHosts`: of those that hosts can go back to. */
    async lastGood(
      pipelineId: number,
      workspaceId: number,
      { ofHosts = false }: { ofHosts?: boolean } = {},
    ): Promise<{ runId: number; commitSha: string | null } | undefined> {
      const { rows } = await db.raw(
        `select d.pipeline_run_id as "runId", coalesce(a.commit_sha, b.commit_sha) as "commitSha"
         from deployments d
           join application_runs a on a.organization_id = d.organization_id
             and a.pipeline_run_id = d.pipeline_run_id
           left join application_runs b on b.organization_id = d.organization_id
             and b.pipeline_run_id = a.artifact_run_id
         where d.organization_id = ? and d.pipeline_id = ? and d.workspace_id = ? and d.outcome = 'succeeded'
           ${ofHosts ? `and d.via = 'agents'` : ''}
         order by ${latestFirst('d')} limit 1`,
        [organizationId, pipelineId, workspaceId],
      )
      return rows[0]
    },

    /**
     * A run by which one of these releases was approved for this target, and its artifact was deployed
     * well there within so many days. Undefined without one.
     */
    async approvedWithin(
      release: Pick<Release, 'pipelineId' | 'artifactRunId'> & { targetWorkspaceId: number },
      { digests, days }: { digests: readonly string[]; days: number },
    ): Promise<number | undefined> {
      const { rows } = await db.raw(
        `select v.pipeline_run_id as "runId" from deployments d
           join application_runs a on a.organization_id = d.organization_id
             and a.pipeline_run_id = d.pipeline_run_id
           join approvals v on v.organization_id = d.organization_id
             and v.pipeline_run_id = coalesce(a.approved_before, d.pipeline_run_id)
         where d.organization_id = ? and d.pipeline_id = ? and d.workspace_id = ? and d.artifact_run_id = ?
           and d.outcome = 'succeeded' and d.ended_at > now() - make_interval(days => ?)
           and v.step = 0 and v.decision = 'approved' and v.voided_at is null
           and v.plan_digest = any(?::text[])
         order by d.pipeline_run_id desc limit 1`,
        [
          organizationId,
          release.pipelineId,
          release.targetWorkspaceId,
          release.artifactRunId,
          days,
          [...digests],
        ],
      )
      return rows[0]?.runId
    },

    /** Whether the run's artifact was deployed well to this workspace by this pipeline. */
    async wasDeployed(
      { pipelineId, artifactRunId }: Pick<Release, 'pipelineId' | 'artifactRunId'>,
      workspaceId: number,
    ): Promise<boolean> {
      const { rows } = await db.raw(
        `select 1 from deployments where organization_id = ? and pipeline_id = ? and workspace_id = ?
           and artifact_run_id = ? and outcome = 'succeeded' limit 1`,
        [organizationId, pipelineId, workspaceId, artifactRunId],
      )
      return rows.length > 0
    },

    /**
     * Whether a second person approved one of these deployments: before it began, for the run that it rolled back to, or
     * in the run of the workspace that carried it out. What was deployed while the workspace was no production one was
     * seen by nobody, and a confirmation may be the author's own.
     */
    async wasApproved(
      { pipelineId, artifactRunId }: Pick<Release, 'pipelineId' | 'artifactRunId'>,
      workspaceId: number,
    ): Promise<boolean> {
      const { rows } = await db.raw(
        `select 1 from deployments d
           join application_runs a on a.organization_id = d.organization_id
             and a.pipeline_run_id = d.pipeline_run_id
         where d.organization_id = ? and d.pipeline_id = ? and d.workspace_id = ? and d.artifact_run_id = ?
           and d.outcome = 'succeeded'
           and (exists (select from approvals v where v.organization_id = d.organization_id
               and v.pipeline_run_id in (d.pipeline_run_id, a.approved_before) and v.step = 0
               and v.decision = 'approved' and v.voided_at is null)
             or exists (select from workspace_runs r
                 join approvals v on v.organization_id = r.organization_id and v.workspace_run_id = r.id
               where r.organization_id = d.organization_id and r.id = d.workspace_run_id
                 and r.approval_reasons <> '{confirm}' and v.stage = 'approve'
                 and v.decision = 'approved' and v.voided_at is null))
         limit 1`,
        [organizationId, pipelineId, workspaceId, artifactRunId],
      )
      return rows.length > 0
    },
  }
}

export type LiveRelease = {
  runId: number
  number: number
  phase: ApplicationPhase
  origin: RunOrigin
  tag: string | null
  isRollback: boolean
  hasArtifact: boolean
}
