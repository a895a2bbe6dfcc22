import type { ApplicationSettings } from '../../domain/pipelines/application-settings.ts'
import type { ApplicationPhase } from '../../domain/pipelines/application-state.ts'
import type { RunPhase } from '../../domain/runs/run-state.ts'
import type { Store } from '../driver/connect.ts'
import { contains } from '../contains.ts'
import type { Label } from '../with-label.ts'
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
  lastConfirmStep: number | null,
  labels: Record<string, string>,
  description: string,
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
  labels: Record<string, string>
  description: string
  createdAt: string
  targetName: string | null
  criticality: 'standard' | 'production' | null
  /** `confirmStep`: the step after which its deployment waits for a person. */
  lastRun: {
    number: number
    phase: RunPhase | ApplicationPhase
    confirmStep: number | null
  } | null
}

export type PipelineFilter = {
  q?: string | undefined
  /** Whether it is the one that its workspace brought. Undefined: both. */
  managed?: boolean | undefined
  /** One of them. */
  labels?: readonly Label[] | undefined
}

type Keys = ReadonlyArray<string | number>

/** What the list is ordered by. Each ends with something unique, so that a page has one place to go on. */
const keys = {
  id: ['page.id'],
  name: ['page.name', 'page.id'],
  criticality: [`coalesce(target.criticality, 'standard')`, 'page.name', 'page.id'],
  /** In microseconds: ids of runs of the two kinds have no common order. */
  lastRun: [
    `coalesce((extract(epoch from coalesce(
       (select created_at from workspace_runs where organization_id = $1 and id = page.last_workspace_run_id),
       (select created_at from application_runs
         where organization_id = $1 and pipeline_run_id = page.last_application_run_id))) * 1000000)::bigint, 0)`,
    'page.id',
  ],
} as const
export type PipelineOrder = keyof typeof keys

export type PipelinePage = {
  limit: number
  order: PipelineOrder
  isDescending: boolean
  /** The values of the order's keys in the last row of the page before. */
  after?: Keys | undefined
}

const settingsSql = `json_build_object('appBranch', page.app_branch, 'appPath', page.app_path,
  'triggerPush', page.trigger_push, 'triggerPaths', page.trigger_paths, 'triggerTags', page.trigger_tags,
  'rollbackApproval', page.rollback_approval, 'sbom', page.sbom, 'agentWaitMinutes', page.agent_wait_minutes,
  'webhookState', page.webhook_state, 'webhookReason', page.webhook_reason)`

/** Of the settings of a page as JSON: one pipeline's patterns have up to 200 KiB, and a page 200 pipelines. */
const maxSettingsBytes = 393_216

/** `found`: how many rows the page would have, if it had not ended early. */
export type FoundPipelines = { rows: Array<ListedPipeline & { keys: Keys }>; found: number }

type Answer = { page: Array<[Keys, ...Row]> | null; found: number }

/**
 * A page of an organization's pipelines with their targets and newest runs, in one statement. It ends before the
 * pipeline with which it would have more than `maxSettingsBytes`, but has at least one.
 */
export async function listedPipelines(
  store: Store,
  organizationId: number,
  { filter, page }: { filter: PipelineFilter; page: PipelinePage },
): Promise<FoundPipelines> {
  const values: Array<number | string | string[]> = [organizationId, page.limit]
  const place = (value: number | string | string[]) => `$${values.push(value)}`
  const narrowed = [pageAfter(page, place), narrow(filter, place)].join(' ')
  const { order, isDescending } = page
  const direction = isDescending ? 'desc' : 'asc'
  const [answer] = await store.read<Answer>(organizationId, {
    name: nameOf(filter, page),
    // Each table is read once for the page, not once per row, but for runs of applications, which few lists have:
    // as a join they cost each list two fifths of its time. The limit of 201 (a full page and one)
    // tells the planner how few rows there are; without it every execution is planned again. Rows
    // are arrays in one JSON text: parsing 51 messages of 15 columns costs more.
    text: `with found as materialized (
        select * from (
          select page.id, page.name, page.kind, page.managed, page.app_git_connection_id, page.app_repo,
            page.target_workspace_id, page.strategy,
            case when page.kind = 'application' then ${settingsSql} end as settings,
            page.created_at, page.last_number,
            page.last_workspace_run_id, page.last_application_run_id, page.labels, page.description,
            json_build_array(${keys[order].join(', ')}) as keys,
            row_number() over (order by ${keys[order].map((key) => `${key} ${direction}`).join(', ')}) as place
          from pipelines page${order === 'criticality' ? joinTarget : ''}
          where page.organization_id = $1 ${narrowed}
          order by ${keys[order].map((key) => `${key} ${direction}`).join(', ')} limit 201) page
        limit $2),
      ended as materialized (
        select count(*)::integer as found, case when sum(pg_column_size(settings)) > ${maxSettingsBytes} then
          (select coalesce(max(place) filter (where bytes <= ${maxSettingsBytes}), 1) from (
            select place, sum(pg_column_size(settings)) over (order by place) as bytes from found) summed)
          end as last_place from found)
      select json_agg(json_build_array(p.keys, p.id, p.name, p.kind, p.managed, p.app_git_connection_id, p.app_repo,
        p.target_workspace_id, p.strategy, p.settings, p.created_at at time zone 'UTC', t.name, t.criticality,
        p.last_number, coalesce(r.phase, (select a.phase from application_runs a
          where a.organization_id = $1 and a.pipeline_run_id = p.last_application_run_id)),
        (select d.confirm_step from deployments d
          where d.organization_id = $1 and d.pipeline_run_id = p.last_application_run_id),
        p.labels, p.description) order by p.place) as page,
        (select found from ended) as found
      from found p
        left join workspaces t on t.organization_id = $1 and t.id = p.target_workspace_id
          and t.id = any(array(select target_workspace_id from found))
        left join workspace_runs r on r.organization_id = $1 and r.id = p.last_workspace_run_id
          and r.id = any(array(select last_workspace_run_id from found))
      where p.place <= coalesce((select last_place from ended), p.place)`,
    values,
  })
  const rows = (answer?.page ?? []).map(([pageKeys, ...row]) => ({
    keys: pageKeys,
    ...listed(row),
  }))
  return { rows, found: answer?.found ?? 0 }
}

const joinTarget = ` left join (select id, criticality from workspaces where organization_id = $1) target
  on target.id = page.target_workspace_id`

type Place = (value: number | string | string[]) => string

/** Rows behind the last one of the page before. */
function pageAfter({ order, isDescending, after }: PipelinePage, place: Place): string {
  if (!after) return ''
  const columns = keys[order].join(', ')
  return `and (${columns}) ${isDescending ? '<' : '>'} (${after.map(place).join(', ')})`
}

function narrow({ q, managed, labels }: PipelineFilter, place: Place): string {
  const parts = []
  if (q !== undefined) parts.push(`and page.name ilike ${place(contains(q))}`)
  if (managed !== undefined) parts.push(managed ? 'and page.managed' : 'and not page.managed')
  if (labels) {
    const [names, texts] = [labels.map(([name]) => name), labels.map(([, text]) => text)]
    parts.push(`and page.id in (select l.pipeline_id from pipeline_labels l
      join unnest(${place(names)}::text[], ${place(texts)}::text[]) as asked (key, value)
        on l.key = asked.key and l.value = asked.value
      where l.organization_id = $1)`)
  }
  return parts.join(' ')
}

/** One statement for each form that the text can have. */
const nameOf = ({ q, managed, labels }: PipelineFilter, page: PipelinePage): string =>
  [
    'listed-pipelines',
    page.order,
    page.isDescending ? 'down' : 'up',
    ...(page.after ? ['after'] : []),
    ...(q === undefined ? [] : ['named']),
    ...(managed === undefined ? [] : [managed ? 'managed' : 'own']),
    ...(labels ? ['labelled'] : []),
  ].join('-')

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
  confirmStep,
  labels,
  description,
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
  labels,
  description,
  targetName,
  criticality,
  lastRun: phase === null ? null : { number, phase, confirmStep },
})

/** Formats a time as the API does, without a Date in between, which costs more. */
const toMilliseconds = (time: string): string =>
  `${(time.includes('.') ? time : `${time}.`).slice(0, 23).padEnd(23, '0')}Z`
