import { organizationRunLimit, workingPhases } from '../../domain/runs/run-state.ts'
import { askNamed } from '../driver/ask-prepared.ts'
import type { PlatformDb } from '../driver/connect.ts'

export type WaitingRun = {
  organizationId: number
  workspaceId: number
  workspaceRunId: number
  kind: 'apply' | 'plan'
}

/**
 * Queued runs that could start now: their turn is free, nobody holds the lock, and their
 * organization is active and has a place. Each organization's first run comes before anybody's
 * second, so that one long queue does not fill the page.
 */
export async function waitingRuns(db: PlatformDb, limit: number): Promise<WaitingRun[]> {
  const query = db.raw(
    `with ready as (
       select distinct on (r.workspace_id, r.kind) r.organization_id, r.workspace_id, r.id, r.kind
       from workspace_runs r join organizations o on o.id = r.organization_id and o.status = 'active'
       where r.phase = 'queued'
         and (r.kind = 'plan' or (
           not exists (select 1 from workspace_runs t where t.workspace_id = r.workspace_id and t.kind = 'apply'
             and t.phase in ('planning', 'awaiting_approval', 'apply_queued', 'applying'))
           and not exists (select 1 from workspace_locks l where l.workspace_id = r.workspace_id)))
       order by r.workspace_id, r.kind, r.id),
     working as (
       select organization_id, count(*) as runs from workspace_runs
       where phase in (${working}) group by organization_id),
     lines as (
       select ready.*, row_number() over (partition by organization_id order by id) as place from ready)
     select l.organization_id as "organizationId", l.workspace_id as "workspaceId", l.id as "workspaceRunId", l.kind
     from lines l left join working w using (organization_id)
     where l.place <= :places - coalesce(w.runs, 0)
     order by l.place, l.id limit :limit`,
    { places: organizationRunLimit, limit },
  )
  return askNamed<WaitingRun>(db, 'waiting-runs', query)
}

/** As literals, so that the partial index of live runs can be used. */
const working = workingPhases.map((phase) => `'${phase}'`).join(', ')
