import { unwrap, type Tenant } from '../driver/tenant.ts'
import type { RunPhase } from '../../domain/runs/run-state.ts'

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
  summary: { add: number; change: number; destroy: number } | null
  gates: Array<{ kind: string; result: string; findings: unknown[] }>
}

/** Pull requests that touch workspaces, their plans, and the one comment on each. */
export function gitPullRequests(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  const rows = () => db('git_pull_requests').where({ organizationId })

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

    async setComment(id: number, commentId: string | null): Promise<void> {
      await rows().where({ id }).update({ commentId })
    },

    /** Why a workspace could not be planned; null after a success. */
    async setFault(id: number, workspaceId: number, fault: string | null): Promise<void> {
      const key = String(workspaceId)
      await rows()
        .where({ id })
        .update({
          faults:
            fault === null
              ? db.raw('faults - ?::text', [key])
              : db.raw('faults || jsonb_build_object(?::text, ?::text)', [key, fault]),
        })
    },

    /** Takes a lease on the comment for one writer; false while another holds it. */
    async takeTurn(id: number, seconds: number): Promise<boolean> {
      const taken = await rows()
        .where({ id })
        .where((free) => void free.whereNull('busyUntil').orWhere('busyUntil', '<', db.fn.now()))
        .update({ busyUntil: db.raw(`now() + make_interval(secs => ?)`, [seconds]) })
      return taken === 1
    },

    async endTurn(id: number): Promise<void> {
      await rows().where({ id }).update({ busyUntil: null })
    },

    async isPlanned(id: number, workspaceId: number, commitSha: string): Promise<boolean> {
      const row = await db('configuration_versions')
        .where({ organizationId, workspaceId, pullRequestId: id, commitSha })
        .first('id')
      return row !== undefined
    },

    /** The newest plan of each workspace. */
    async runs(id: number): Promise<PullRequestRun[]> {
      const { rows: found } = await db.raw(
        `select distinct on (w.name) w.id as "workspaceId", w.name as "workspaceName",
           v.commit_sha as "commitSha", r.id as "workspaceRunId", r.phase, r.reason, r.summary, r.gates
         from configuration_versions v
         join workspace_runs r on r.organization_id = v.organization_id and r.configuration_version_id = v.id
         join workspaces w on w.organization_id = v.organization_id and w.id = v.workspace_id
         where v.organization_id = ? and v.pull_request_id = ?
         order by w.name, v.id desc`,
        [organizationId, id],
      )
      return found
    },
  }
}
