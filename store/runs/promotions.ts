import { unwrap, type Tenant } from '../driver/tenant.ts'

export type PromotableRun = {
  /** The run that built the artifact: this one, or the one that it was itself promoted from. */
  artifactRunId: number
  /** Has the source of the artifact: the run that built it, or this one if that was deleted. */
  sourceRunId: number
  isBuilt: boolean
  /** Its bytes are there: they go with age. A build that failed later has no signature, and is none. */
  isKept: boolean
  pipelineId: number
  targetWorkspaceId: number | null
  branch: string | null
  tag: string | null
  commitSha: string | null
  /** What it was built from; of a run from before that was noted, what its pipeline names now. */
  connectionId: number | null
  repository: string | null
}

/** Runs whose artifact another run deploys. */
export function promotions(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  return {
    /** Undefined for a run that is none of an application of this organization. */
    async find(runId: number): Promise<PromotableRun | undefined> {
      const { rows } = await db.raw(
        `select coalesce(a.artifact_run_id, a.pipeline_run_id) as "artifactRunId",
           coalesce(b.pipeline_run_id, a.pipeline_run_id) as "sourceRunId",
           f.signed_at is not null as "isBuilt",
           f.signed_at is not null and f.swept_at is null as "isKept", a.pipeline_id as "pipelineId",
           a.target_workspace_id as "targetWorkspaceId", coalesce(b.branch, a.branch) as branch,
           coalesce(b.tag, a.tag) as tag, coalesce(b.commit_sha, a.commit_sha) as "commitSha",
           case when coalesce(b.source_repo, a.source_repo) is null then p.app_git_connection_id
             else coalesce(b.source_connection_id, a.source_connection_id) end as "connectionId",
           coalesce(b.source_repo, a.source_repo, p.app_repo) as repository
         from application_runs a
           join pipelines p on p.organization_id = a.organization_id and p.id = a.pipeline_id
           left join application_runs b on b.organization_id = a.organization_id
             and b.pipeline_run_id = a.artifact_run_id
           left join artifacts f on f.organization_id = a.organization_id
             and f.pipeline_run_id = coalesce(a.artifact_run_id, a.pipeline_run_id)
         where a.organization_id = ? and a.pipeline_run_id = ?`,
        [organizationId, runId],
      )
      return rows[0]
    },

    /** The repository has another name now. Not of runs whose artifact is gone: they cannot be promoted. */
    async renameSource(
      connectionId: number,
      { from, to }: { from: string; to: string },
    ): Promise<void> {
      await db.raw(
        `update application_runs r set source_repo = :to
         where r.organization_id = :organizationId and r.source_connection_id = :connectionId
           and lower(r.source_repo) = lower(:from)
           and not exists (select from artifacts f where f.organization_id = r.organization_id
             and f.pipeline_run_id = coalesce(r.artifact_run_id, r.pipeline_run_id)
             and f.swept_at is not null)`,
        { organizationId, connectionId, from, to },
      )
    },

    /**
     * Keeps the artifact of this run until the transaction ends. False if the pipeline that built it was deleted with it
     * meanwhile.
     */
    async hold(artifactRunId: number): Promise<boolean> {
      const { rows } = await db.raw(
        'select from artifacts where organization_id = ? and pipeline_run_id = ? for key share',
        [organizationId, artifactRunId],
      )
      return rows.length > 0
    },
  }
}
