import { unwrap, type Tenant } from '../driver/tenant.ts'
import type { RunPhase } from '../../domain/runs/run-state.ts'
import { gatesOfComment } from './gates-of-comment.ts'

export type GitPullRequest = {
  id: number
  connectionId: number | null
  repo: string
  number: number
  commentId: string | null
  faults: Record<string, string>
}

export type PullRequestRun = {
  workspaceId: number
  workspaceName: string
  commitSha: string
  workspaceRunId: number
  phase: RunPhase
  reason: string | null
  summary: { import?: number; add: number; change: number; destroy: number } | null
  /** Of the findings those about budgets that the plan would break, without their texts. */
  gates: Array<{ kind: string; result: string; findings: unknown[] }>
}

/** Those that the comment has room for, by name, and how many runs there are beside them. */
export type PullRequestRuns = { runs: PullRequestRun[]; more: number }

/** The comment has room for fewer: a row has more than 60 of its 30,000 characters (domain/git/pull-request-comment.ts). */
const maxRuns = 500

/** Pull requests that touch workspaces, their plans, and the one comment on each. */
export function gitPullRequests(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  const rows = () => db('git_pull_requests').where({ organizationId })
  const leased = (id: number, until: string) =>
    rows().where({ id }).whereRaw('busy_until = ?::timestamptz', [until])

  return {
    async of(connectionId: number, repo: string, number: number): Promise<GitPullRequest> {
      const [row] = await db('git_pull_requests')
        .insert({ organizationId, connectionId, repo, number })
        .onConflict(['connectionId', 'repo', 'number'])
        .merge({ repo })
        .returning(['id', 'connectionId', 'repo', 'number', 'commentId', 'faults'])
      return row
    },

    async find(id: number): Promise<GitPullRequest | undefined> {
      return rows()
        .where({ id })
        .first('id', 'connectionId', 'repo', 'number', 'commentId', 'faults')
    },

    /** Has no effect without the lease: another writer may have noted its comment since. */
    async setComment(id: number, until: string, commentId: string | null): Promise<void> {
      await leased(id, until).update({ commentId })
    },

    /**
     * Notes the commit that the comment is about; true if it was another one. The faults of other commits end
     * with it.
     */
    async setHead(id: number, headSha: string): Promise<boolean> {
      const moved = await rows()
        .where({ id })
        .whereRaw('head_sha is distinct from ?', [headSha])
        .update({ headSha, faults: '{}' })
      return moved === 1
    },

    /**
     * Why a workspace could not be planned at a commit; null after a success. True if that is new. Has no effect
     * once the pull request has another head: a slow reader must not report on that one.
     */
    async setFault(
      id: number,
      { workspaceId, commit }: { workspaceId: number; commit: string },
      fault: string | null,
    ): Promise<boolean> {
      const key = String(workspaceId)
      const changed = await rows()
        .where({ id, headSha: commit })
        .whereRaw('faults->>?::text is distinct from ?::text', [key, fault])
        .update({
          faults:
            fault === null
              ? db.raw('faults - ?::text', [key])
              : db.raw('faults || jsonb_build_object(?::text, ?::text)', [key, fault]),
        })
      return changed === 1
    },

    /**
     * Takes a lease on the comment for one writer. Returns its end, which names this very lease; undefined while
     * another writer holds it.
     */
    async takeTurn(id: number, seconds: number): Promise<string | undefined> {
      const [taken] = await rows()
        .where({ id })
        .where((free) => void free.whereNull('busyUntil').orWhere('busyUntil', '<', db.fn.now()))
        .update({ busyUntil: db.raw(`now() + make_interval(secs => ?)`, [seconds]) })
        .returning(db.raw('busy_until::text as until'))
      return taken?.until
    },

    /** Has no effect on the lease of another writer, who has taken it since this one ran out. */
    async endTurn(id: number, until: string): Promise<void> {
      await leased(id, until).update({ busyUntil: null })
    },

    /** Whether it has touched a workspace before. */
    async isKnown(connectionId: number, repo: string, number: number): Promise<boolean> {
      return (await rows().where({ connectionId, repo, number }).first('id')) !== undefined
    },

    /** Whether it still has this head, as far as its host has told, and a connection. */
    async hasHead(id: number, commitSha: string | null): Promise<boolean> {
      const row = await rows()
        .where({ id, headSha: commitSha })
        .whereNotNull('connectionId')
        .first('id')
      return row !== undefined
    },

    async isPlannedAt(id: number, commitSha: string): Promise<boolean> {
      const row = await db('configuration_versions')
        .where({ organizationId, pullRequestId: id, commitSha })
        .first('id')
      return row !== undefined
    },

    async isPlanned(id: number, workspaceId: number, commitSha: string): Promise<boolean> {
      const row = await db('configuration_versions')
        .where({ organizationId, workspaceId, pullRequestId: id, commitSha })
        .first('id')
      return row !== undefined
    },

    /**
     * The newest plan of each workspace at the head. Of too many the comment leaves out the last ones in the order of
     * `ranked`, so these are not read.
     */
    async runs(id: number): Promise<PullRequestRuns> {
      const { rows: found } = await db.raw(
        `with newest as (
           select distinct on (w.name) w.id as workspace_id, w.name, v.commit_sha, r.id, r.phase, r.reason
           from configuration_versions v
           join workspace_runs r on r.organization_id = v.organization_id and r.configuration_version_id = v.id
           join workspaces w on w.organization_id = v.organization_id and w.id = v.workspace_id
           join git_pull_requests p on p.organization_id = v.organization_id and p.id = v.pull_request_id
           where p.organization_id = :organizationId and p.id = :id and (p.head_sha is null or v.commit_sha = p.head_sha)
           order by w.name, v.id desc, r.id desc),
         ranked as (
           select *, count(*) over ()::integer as total from newest
           order by case when phase in ('failed', 'canceled') then 0 when reason = 'no_changes' then 2 else 1 end, name
           limit :maxRuns)
         select n.workspace_id as "workspaceId", n.name as "workspaceName", n.commit_sha as "commitSha",
           n.id as "workspaceRunId", n.phase, n.reason, r.summary, ${gatesOfComment} as gates, n.total
         from ranked n join workspace_runs r on r.organization_id = :organizationId and r.id = n.id
         order by n.name`,
        { organizationId, id, maxRuns },
      )
      const runs: PullRequestRun[] = found.map(
        ({ total: _, ...run }: PullRequestRun & { total: number }) => run,
      )
      return { runs, more: (found[0]?.total ?? 0) - runs.length }
    },
  }
}
