import { notFound } from '../../domain/errors.ts'
import type { ApplicationPhase } from '../../domain/pipelines/application-state.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

/** What a run of an application is built from. */
export type SourceOfRun = {
  phase: ApplicationPhase
  /** Of the run, else of the connection; null where the connection is gone. */
  branch: string | null
  repository: string | null
  connectionId: number | null
  /** Null until it was fetched once: then every later fetch is of this commit. */
  commitSha: string | null
  /** Of the stage `source`. */
  stageId: number
}

export type NewCommit = { sha: string; message: string; author: string; committedAt: Date }

export function sourceOfRun(tenant: Tenant, pipelineRunId: number) {
  const { db, organizationId } = unwrap(tenant)
  return {
    async get(): Promise<SourceOfRun> {
      const { rows } = await db.raw(
        `select a.phase, coalesce(a.branch, c.default_branch) as branch, p.app_repo as repository,
           c.id as "connectionId", a.commit_sha as "commitSha", s.id as "stageId"
         from application_runs a
           join pipeline_runs r on r.organization_id = a.organization_id and r.id = a.pipeline_run_id
           join pipelines p on p.organization_id = a.organization_id and p.id = r.pipeline_id
           join stages s on s.organization_id = a.organization_id
             and s.pipeline_run_id = a.pipeline_run_id and s.name = 'source'
           left join git_connections c
             on c.organization_id = a.organization_id and c.id = p.app_git_connection_id
         where a.organization_id = ? and a.pipeline_run_id = ?`,
        [organizationId, pipelineRunId],
      )
      if (!rows[0]) throw notFound()
      return rows[0]
    },

    /** Of two attempts that fetched different commits, the first one's stands. Says which it is. */
    async noteCommit(commit: NewCommit, branch: string): Promise<string> {
      const { rows } = await db.raw(
        `update application_runs set
           branch = case when commit_sha is null then :branch else branch end,
           commit_message = case when commit_sha is null then :message else commit_message end,
           commit_author = case when commit_sha is null then :author else commit_author end,
           committed_at = case when commit_sha is null then :committedAt else committed_at end,
           commit_sha = coalesce(commit_sha, :sha)
         where organization_id = :organizationId and pipeline_run_id = :pipelineRunId
         returning commit_sha as "commitSha", pg_notify('cc_run', pipeline_run_id::text)`,
        { ...commit, branch, organizationId, pipelineRunId },
      )
      if (!rows[0]) throw notFound()
      return rows[0].commitSha
    },
  }
}
