import type { RunPhase } from '../../domain/pipelines/run-state.ts'
import type { Store } from '../connect.ts'
import { contains } from '../contains.ts'
import type { Pipeline } from './pipelines.ts'

export type ListedPipeline = Pipeline & {
  targetName: string | null
  criticality: 'standard' | 'production' | null
  lastNumber: number
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
    // The page is cut before anything is joined to it: one index look-up a row, however many there are.
    text: `select p.*, t.name as "targetName", t.criticality, r.number as "lastRunNumber", r.phase as "lastPhase"
      from (
        select id, name, kind, managed, app_git_connection_id as "appGitConnectionId", app_repo as "appRepo",
          target_workspace_id as "targetWorkspaceId", strategy, last_number as "lastNumber", created_at as "createdAt"
        from pipelines where organization_id = $1 and id > $2
          ${q === undefined ? '' : 'and name ilike $4'} order by id limit $3) p
        left join lateral (
          select w.name, w.criticality from workspaces w
          where w.organization_id = $1 and w.id = p."targetWorkspaceId") t on true
        left join lateral (
          select l.number, w.phase
          from (select number, workspace_run_id from pipeline_runs
              where organization_id = $1 and pipeline_id = p.id order by number desc limit 1) l
            join workspace_runs w on w.organization_id = $1 and w.id = l.workspace_run_id) r on true
      order by p.id`,
    values: [organizationId, after, limit, ...(q === undefined ? [] : [contains(q)])],
  })
}
