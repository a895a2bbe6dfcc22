import type { ApplicationSettings } from '../../domain/pipelines/application-settings.ts'
import type { ApplicationPhase } from '../../domain/pipelines/application-state.ts'
import type { RunPhase } from '../../domain/runs/run-state.ts'
import type { Store } from '../driver/connect.ts'
import { contains } from '../contains.ts'
import type { Pipeline } from './pipelines.ts'

/** In the order of the statement's columns. */
type Row = [
  id: number,
  name: string,
  kind: Pipeline['kind'],
  managed: boolean,
  appGitConnectionId: number | null,
  appRepo: string | null,
  targetWorkspaceId: number | null,
  strategy: string | null,
  /** Null of the other kind, which most lists are made of: it is made for few rows. */
  settings: ListedSettings | null,
  /** UTC in ISO 8601, with as many digits of the second as there are. */
  createdAt: string,
  targetName: string | null,
  criticality: 'standard' | 'production' | null,
  lastNumber: number,
  lastPhase: RunPhase | ApplicationPhase | null,
]

/** What only a pipeline of an application has. */
export type ListedSettings = ApplicationSettings & Pick<Pipeline, 'webhookState' | 'webhookReason'>

export type ListedPipeline = Pick<
  Pipeline,
  | 'id'
  | 'name'
  | 'kind'
  | 'managed'
  | 'appGitConnectionId'
  | 'appRepo'
  | 'targetWorkspaceId'
  | 'strategy'
> & {
  settings: ListedSettings | null
  createdAt: string
  targetName: string | null
  criticality: 'standard' | 'production' | null
  lastRun: { number: number; phase: RunPhase | ApplicationPhase } | null
}

export type PipelinePage = {
  limit: number
  after: number
  q?: string | undefined
  /** Whether it is the one that its workspace brought. Undefined: both. */
  managed?: boolean | undefined
}

const settingsSql = `json_build_object('appBranch', app_branch, 'appPath', app_path,
  'triggerPush', trigger_push, 'triggerPaths', trigger_paths, 'triggerTags', trigger_tags,
  'rollbackApproval', rollback_approval, 'sbom', sbom, 'agentWaitMinutes', agent_wait_minutes,
  'webhookState', webhook_state, 'webhookReason', webhook_reason)`

/** A page of an organization's pipelines with their targets and newest runs, in one statement. */
export async function listedPipelines(
  store: Store,
  organizationId: number,
  { limit, after, q, managed }: PipelinePage,
): Promise<ListedPipeline[]> {
  const named = q === undefined ? '' : '-named'
  const kind = managed === undefined ? '' : managed ? '-managed' : '-own'
  const [answer] = await store.read<{ page: Row[] | null }>(organizationId, {
    name: `listed-pipelines${named}${kind}`,
    // Each table is read once for the page, not once per row, but for runs of applications, which few lists have:
    // as a join they cost each list two fifths of its time. The limit of 201 (a full page and one)
    // tells the planner how few rows there are; without it every execution is planned again. Rows
    // are arrays in one JSON text: parsing 51 messages of 13 columns costs more.
    text: `with p as materialized (
        select * from (
          select id, name, kind, managed, app_git_connection_id, app_repo, target_workspace_id, strategy,
            case when kind = 'application' then ${settingsSql} end as settings,
            created_at, last_number, last_workspace_run_id, last_application_run_id
          from pipelines where organization_id = $1 and id > $2
            ${q === undefined ? '' : 'and name ilike $4'}
            ${managed === undefined ? '' : managed ? 'and managed' : 'and not managed'} order by id limit 201) page
        limit $3)
      select json_agg(json_build_array(p.id, p.name, p.kind, p.managed, p.app_git_connection_id, p.app_repo,
        p.target_workspace_id, p.strategy, p.settings, p.created_at at time zone 'UTC', t.name, t.criticality,
        p.last_number, coalesce(r.phase, (select a.phase from application_runs a
          where a.organization_id = $1 and a.pipeline_run_id = p.last_application_run_id))) order by p.id) as page
      from p
        left join workspaces t on t.organization_id = $1 and t.id = p.target_workspace_id
          and t.id = any(array(select target_workspace_id from p))
        left join workspace_runs r on r.organization_id = $1 and r.id = p.last_workspace_run_id
          and r.id = any(array(select last_workspace_run_id from p))`,
    values: [organizationId, after, limit, ...(q === undefined ? [] : [contains(q)])],
  })
  return (answer?.page ?? []).map(listed)
}

const listed = ([
  id,
  name,
  kind,
  managed,
  appGitConnectionId,
  appRepo,
  targetWorkspaceId,
  strategy,
  settings,
  createdAt,
  targetName,
  criticality,
  number,
  phase,
]: Row): ListedPipeline => ({
  id,
  name,
  kind,
  managed,
  appGitConnectionId,
  appRepo,
  targetWorkspaceId,
  strategy,
  settings,
  createdAt: toMilliseconds(createdAt),
  targetName,
  criticality,
  lastRun: phase === null ? null : { number, phase },
})

/** Formats a time as the API does, without a Date in between, which costs more. */
const toMilliseconds = (time: string): string =>
  `${(time.includes('.') ? time : `${time}.`).slice(0, 23).padEnd(23, '0')}Z`
