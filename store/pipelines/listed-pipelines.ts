import type { RunPhase } from '../../domain/pipelines/run-state.ts'
import type { Store } from '../connect.ts'
import { contains } from '../contains.ts'
import type { Pipeline } from './pipelines.ts'

export type ListedPipeline = Omit<Pipeline, 'lastNumber' | 'createdAt'> & {
  /** As the API writes it: a Date between would only be taken apart again. */
  createdAt: string
  targetName: string | null
  criticality: 'standard' | 'production' | null
  lastPhase: RunPhase | null
  lastRunNumber: number | null
}

/** A page of an organization's pipelines, with what a list shows of their targets and newest runs, by one statement. */
export async function listedPipelines(
  store: Store,
  organizationId: number,
  { limit, after, q }: { limit: number; after: number; q?: string | undefined },
): Promise<ListedPipeline[]> {
  return store.read(organizationId, {
    name: q === undefined ? 'listed-pipelines' : 'listed-pipelines-named',
    // Each table is asked once for the whole page, not once a row. The limit of 201, the most that a page
    // may have and one, tells the planner how few rows there are: without it every execution is planned anew.
    text: `with p as materialized (
        select * from (
          select id, name, kind, managed, app_git_connection_id as "appGitConnectionId", app_repo as "appRepo",
            target_workspace_id as "targetWorkspaceId", strategy, created_at
          from pipelines where organization_id = $1 and id > $2
            ${q === undefined ? '' : 'and name ilike $4'} order by id limit 201) page
        limit $3),
      l as materialized (
        select p.id, newest.number, newest.workspace_run_id
        from p cross join lateral (
          select number, workspace_run_id from pipeline_runs
          where organization_id = $1 and pipeline_id = p.id order by number desc limit 1) newest)
      select p.id, p.name, p.kind, p.managed, p."appGitConnectionId", p."appRepo", p."targetWorkspaceId", p.strategy,
        to_char(p.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "createdAt",
        t.name as "targetName", t.criticality, l.number as "lastRunNumber", r.phase as "lastPhase"
      from p
        left join workspaces t on t.organization_id = $1 and t.id = p."targetWorkspaceId"
          and t.id = any(array(select "targetWorkspaceId" from p))
        left join l on l.id = p.id
        left join workspace_runs r on r.organization_id = $1 and r.id = l.workspace_run_id
          and r.id = any(array(select workspace_run_id from l))
      order by p.id`,
    values: [organizationId, after, limit, ...(q === undefined ? [] : [contains(q)])],
  })
}
