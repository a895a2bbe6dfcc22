import { startPending } from '../outbox/start-pending.ts'
import type { PlatformDb } from '../driver/connect.ts'
import type { LivePhase } from '../../domain/runs/run-state.ts'

export type LiveRun = {
  organizationId: number
  workspaceRunId: number
  workspaceId: number
  kind: 'apply' | 'plan'
  phase: LivePhase
  /** Whether the start of its workflow is still in the outbox. */
  startPending: boolean
}

/** Runs that should have a workflow, oldest first, for the reconciler. */
export async function liveRuns(
  db: PlatformDb,
  { after, limit }: { after: number; limit: number },
): Promise<LiveRun[]> {
  const { rows } = await db.raw(
    `select r.organization_id as "organizationId", r.id as "workspaceRunId", r.workspace_id as "workspaceId", r.kind, r.phase,
       ${startPending(`'org-' || r.organization_id || '/infra-run/' || r.id`)} as "startPending"
     from workspace_runs r
     where r.phase in ('planning', 'awaiting_approval', 'apply_queued', 'applying') and r.id > ?
       and coalesce(r.started_at, r.created_at) < now() - interval '10 seconds'
     order by r.id limit ?`,
    [after, limit],
  )
  return rows
}
