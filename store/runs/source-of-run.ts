import { notFound } from '../../domain/errors.ts'
import type { MissingManifest } from '../../domain/manifest/missing-manifest.ts'
import type { ApplicationPhase } from '../../domain/pipelines/application-state.ts'
import { firstLineOf } from '../../domain/runs/first-line.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import { latestFirst } from '../latest-first.ts'
import { isOfBranch, isOfOwnBranch } from '../own-branch.ts'
import type { ReleasedCommit } from './application-runs.ts'

/** What a run of an application is built from. */
export type SourceOfRun = {
  phase: ApplicationPhase
  /** Of the run, else of the connection; null where the connection is gone, and for a run of a commit. */
  branch: string | null
  repository: string | null
  connectionId: number | null
  /** Null until it was fetched once, but for a run of a commit. */
  commitSha: string | null
  committedAt: Date | null
  /** What it was started for; the commit that it names is noted once it was fetched. */
  tag: string | null
  pipelineId: number
  /** The branch whose builds are released by default: of the pipeline, else of its connection. */
  ownBranch: string | null
  /** The folder of the source that its build works in; empty is the top. */
  folder: string
  targetWorkspaceId: number | null
  /** The run's, else the pipeline's; null for what the manifest says. */
  strategyLabel: string | null
  stageIds: { source: number; build: number; deploy: number }
}

export type NewCommit = { sha: string; message: string; author: string; committedAt: Date }

export function sourceOfRun(tenant: Tenant, pipelineRunId: number) {
  const { db, organizationId } = unwrap(tenant)
  const row = () => db('application_runs').where({ organizationId, pipelineRunId })

  return {
    async get(): Promise<SourceOfRun> {
      const { rows } = await db.raw(
        `select a.phase,
           coalesce(a.branch, case when a.commit_sha is null and a.tag is null
             then coalesce(p.app_branch, c.default_branch) end) as branch,
           a.tag, p.id as "pipelineId", coalesce(p.app_branch, c.default_branch) as "ownBranch", p.app_path as folder, p.app_repo as repository,
           c.id as "connectionId", a.commit_sha as "commitSha", a.committed_at as "committedAt",
           a.target_workspace_id as "targetWorkspaceId",
           coalesce(a.strategy, p.strategy) as "strategyLabel",
           (select jsonb_object_agg(s.name, s.id) from stages s
             where s.organization_id = a.organization_id and s.pipeline_run_id = a.pipeline_run_id)
             as "stageIds"
         from application_runs a
           join pipeline_runs r on r.organization_id = a.organization_id and r.id = a.pipeline_run_id
           join pipelines p on p.organization_id = a.organization_id and p.id = r.pipeline_id
           left join git_connections c
             on c.organization_id = a.organization_id and c.id = p.app_git_connection_id
         where a.organization_id = ? and a.pipeline_run_id = ?`,
        [organizationId, pipelineRunId],
      )
      if (!rows[0]) throw notFound()
      return rows[0]
    },

    /** In the transaction that ends the run. */
    async noteMissing(missingManifest: MissingManifest): Promise<void> {
      await row().update({ missingManifest: JSON.stringify(missingManifest) })
    },

    /** In the transaction that moves the run on from `sourcing`, so that there is one commit. */
    async note(
      source: NewCommit & {
        /** Where it was fetched from. */
        connectionId: number | null
        repository: string | null
        branch: string | null
        manifest: string
        manifestSha256: string
      },
    ): Promise<void> {
      await row().update({
        startMessage: db.raw(`case when origin = 'push' then ? else start_message end`, [
          firstLineOf(source.message),
        ]),
        sourceConnectionId: source.connectionId,
        sourceRepo: source.repository,
        branch: source.branch,
        commitSha: source.sha,
        commitMessage: source.message,
        commitAuthor: source.author,
        committedAt: source.committedAt,
        manifest: source.manifest,
        manifestSha256: source.manifestSha256,
      })
    },

    /**
     * The commit and the manifest of the run whose artifact this one deploys, which another may have built. Not found
     * if it is deleted meanwhile.
     */
    async copyFrom(runId: number): Promise<void> {
      const { rowCount } = await db.raw(
        `update application_runs a
         set branch = b.branch, tag = b.tag, commit_sha = b.commit_sha, commit_message = b.commit_message,
           commit_author = b.commit_author, committed_at = b.committed_at, manifest = b.manifest,
           manifest_sha256 = b.manifest_sha256, author_user_ids = b.author_user_ids,
           unknown_author = b.unknown_author, source_connection_id = b.source_connection_id,
           source_repo = b.source_repo
         from application_runs b
         where a.organization_id = ? and a.pipeline_run_id = ?
           and b.organization_id = a.organization_id and b.pipeline_run_id = ?`,
        [organizationId, pipelineRunId, runId],
      )
      if (rowCount === 0) throw notFound()
    },

    /**
     * Of a promotion from another pipeline: who started the build, and who changed what that pipeline's builds make
     * since the build that this target has; of its branch, since the last build of that branch that it had. No
     * deployment elsewhere says anything about this target. Of a deleted pipeline everybody counts who ever changed it.
     */
    async addAuthorsOfBuild(artifactRunId: number): Promise<void> {
      await db.raw(
        `update application_runs a
         set author_user_ids = array(
           select author from (
             select unnest(a.author_user_ids)
             union select b.author_user_id
             union select c.user_id from pipeline_authorship c
               where c.organization_id = b.organization_id and c.pipeline_id = b.pipeline_id
                 and c.part = 'build' and c.at > coalesce((
                   select s.started_at from deployments d
                     join application_runs built on built.organization_id = d.organization_id
                       and built.pipeline_run_id = d.artifact_run_id
                     join stages s on s.organization_id = d.organization_id
                       and s.pipeline_run_id = d.artifact_run_id and s.name = 'build'
                   where d.organization_id = a.organization_id and d.pipeline_id = a.pipeline_id
                     and d.workspace_id = a.target_workspace_id and d.outcome = 'succeeded'
                     and built.pipeline_id = b.pipeline_id
                     and (not ${isOfBranch('c')} or exists (select from pipelines p
                       where p.organization_id = b.organization_id and p.id = b.pipeline_id
                         and ${isOfOwnBranch('built')}))
                   order by ${latestFirst('d')} limit 1), '-infinity')
           ) as every (author) where author is not null order by 1)
         from application_runs b
         where a.organization_id = ? and a.pipeline_run_id = ?
           and b.organization_id = a.organization_id and b.pipeline_run_id = ?
           and b.pipeline_id <> a.pipeline_id`,
        [organizationId, pipelineRunId, artifactRunId],
      )
      await db.raw(
        `update application_runs a
         set author_user_ids = array(
             select distinct unnest(a.author_user_ids || f.author_user_ids) order by 1),
           unknown_author = a.unknown_author or f.unknown_author
         from artifacts f
         where a.organization_id = ? and a.pipeline_run_id = ?
           and f.organization_id = a.organization_id and f.pipeline_run_id = ?
           and f.pipeline_deleted_at is not null`,
        [organizationId, pipelineRunId, artifactRunId],
      )
    },

    /** What the run that comes back would have released, with who started it as an author. */
    async addCommitsOf(runId: number): Promise<void> {
      await db.raw(
        `update application_runs a
         set commits = b.commits, commits_truncated = b.commits_truncated,
           author_user_ids = array(
             select distinct author from unnest(a.author_user_ids || b.author_user_id) as author
             where author is not null order by 1)
         from application_runs b
         where a.organization_id = ? and a.pipeline_run_id = ?
           and b.organization_id = a.organization_id and b.pipeline_run_id = ?`,
        [organizationId, pipelineRunId, runId],
      )
    },

    /**
     * Of a run that builds the commit of another one again, which nobody has approved: the range since the last good
     * deployment has none of its commits where a newer one was deployed.
     */
    async addAuthorsOf(runId: number): Promise<void> {
      await db.raw(
        `update application_runs a
         set author_user_ids = array(
             select distinct author from unnest(a.author_user_ids || b.author_user_ids || b.author_user_id) as author
             where author is not null order by 1),
           unknown_author = a.unknown_author or b.unknown_author
         from application_runs b
         where a.organization_id = ? and a.pipeline_run_id = ?
           and b.organization_id = a.organization_id and b.pipeline_run_id = ?`,
        [organizationId, pipelineRunId, runId],
      )
    },

    /** A release that was deployed here before has no new commits, and so no authors of any. */
    async clearAuthors(): Promise<void> {
      await row().update({ authorUserIds: '{}', unknownAuthor: false })
    },

    /** Beside whom its trigger named: a push has its pusher. */
    async noteCommits(since: {
      authorUserIds: readonly number[]
      unknownAuthor: boolean
      commits: readonly ReleasedCommit[]
      truncated: boolean
    }): Promise<void> {
      await row().update({
        authorUserIds: db.raw(
          'array(select distinct unnest(author_user_ids || ?::integer[]) order by 1)',
          [[...since.authorUserIds]],
        ),
        unknownAuthor: db.raw('unknown_author or ?', [since.unknownAuthor]),
        commits: JSON.stringify(since.commits),
        commitsTruncated: since.truncated,
      })
    },
  }
}
