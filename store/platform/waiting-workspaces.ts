import type { PlatformDb } from '../connect.ts'

export type WaitingRun = {
  organizationId: number
  workspaceId: number
  runId: number
  kind: 'apply' | 'plan'
}

/** Queued runs that could go on now: their turn is free, nobody holds the lock, their organization is active. */
export async function waitingRuns(db: PlatformDb, limit: number): Promise<WaitingRun[]> {
  const { rows } = await db.raw(
    `select distinct on (r.workspace_id, r.kind) r.organization_id as "organizationId",
       r.workspace_id as "workspaceId", r.id as "runId", r.kind
     from workspace_runs r join organizations o on o.id = r.organization_id and o.status = 'active'
     where r.phase = 'queued'
       and (r.kind = 'plan' or (
         not exists (select 1 from workspace_runs t where t.workspace_id = r.workspace_id and t.kind = 'apply'
           and t.phase in ('planning', 'awaiting_approval', 'apply_queued', 'applying'))
         and not exists (select 1 from workspace_locks l where l.workspace_id = r.workspace_id)))
     order by r.workspace_id, r.kind, r.id limit ?`,
    [limit],
  )
  return rows
}
