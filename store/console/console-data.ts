import { askNamed } from '../driver/ask-prepared.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import {
  liveApplicationPhases,
  type ApplicationPhase,
} from '../../domain/pipelines/application-state.ts'
import { stoppedReasons } from '../../domain/runs/run-outcome.ts'
import type { RunOrigin } from '../../domain/runs/run-origin.ts'
import { livePhases, type RunPhase, type RunReason } from '../../domain/runs/run-state.ts'
import { faultOfApprover, selectApprovalRules, selectReleaseRules } from '../approval-rule.ts'
import type { Approver } from '../runs/approvers.ts'

export type ConsoleRun = {
  id: number
  /** Null of a plan-only run: it is in no pipeline. */
  number: number | null
  pipelineId: number | null
  pipelineName: string | null
  /** Of an application: its target. Null without one. */
  workspaceId: number | null
  workspaceName: string | null
  criticality: 'standard' | 'production'
  kind: 'apply' | 'plan' | 'application'
  destroy: boolean
  phase: RunPhase | ApplicationPhase
  /** Whether a person must decide. */
  waits: boolean
  reason: RunReason | null
  origin: RunOrigin
  /** Null if no member started the run. */
  author: string | null
  /** PostgreSQL's own text of a time. */
  createdAt: string
  endedAt: string | null
}

export type ConsoleCounts = {
  workspaces: number
  pipelines: number
  live: number
  waiting: number
  failedLastDay: number
}

export type ConsoleData = {
  counts: ConsoleCounts
  lastRuns: ConsoleRun[]
  waitingForMe: ConsoleRun[]
}

const fault = faultOfApprover({
  role: ':ceiling::member_role',
  platformAdmin: ':platformAdmin::boolean',
  idpSavedBy: ':idpSavedBy::integer[]',
})

const phasesIn = (phases: readonly string[]) => phases.map((phase) => `'${phase}'`).join(', ')

/** SQL: runs of both kinds in one shape. */
const applies = `select r.id, r.organization_id, r.workspace_id, r.kind, r.destroy, r.phase, r.reason, r.origin,
    r.phase in ('awaiting_approval', 'awaiting_plan_approval') as waits, r.author_user_id, r.created_at, r.ended_at
  from workspace_runs r where r.organization_id = :organizationId`
const releases = `select a.pipeline_run_id, a.organization_id, a.target_workspace_id, 'application', false, a.phase,
    a.reason, a.origin, a.phase = 'awaiting_approval' or (a.phase = 'deploying' and exists (
      -- Between two of its steps.
      select from deployments d where d.organization_id = a.organization_id
        and d.pipeline_run_id = a.pipeline_run_id and d.confirm_step is not null)) as waits,
    a.author_user_id, a.created_at, a.ended_at
  from application_runs a where a.organization_id = :organizationId`

const run = `r.id, p.number, p.pipeline_id as "pipelineId", l.name as "pipelineName", r.workspace_id as "workspaceId",
  w.name as "workspaceName", coalesce(w.criticality, 'standard') as criticality, r.kind, r.destroy, r.phase, r.waits, r.reason,
  r.origin, coalesce(nullif(u.email, ''), u.name) as author, r.created_at as "createdAt", r.ended_at as "endedAt"`

const places = `
  left join workspaces w on w.organization_id = r.organization_id and w.id = r.workspace_id
  left join users u on u.organization_id = r.organization_id and u.id = r.author_user_id
  left join pipeline_runs p on p.organization_id = r.organization_id and p.id = r.id
  left join pipelines l on l.organization_id = p.organization_id and l.id = p.pipeline_id`

const failedLastDay = (table: 'workspace_runs' | 'application_runs') => `(
  select count(*) from ${table} where organization_id = :organizationId and phase = 'failed'
    and coalesce(reason <> all(:stopped), true) and ended_at > now() - interval '24 hours')`

/**
 * All data of the console's first page, in one statement, whose plan is kept: to plan it takes longer than to
 * execute it. Each part reads an index of its own, so the cost does not grow with the number of runs.
 */
export async function consoleData(
  tenant: Tenant,
  { userId, ceiling, platformAdmin, idpSavedBy, limit }: Approver & { limit: number },
): Promise<ConsoleData> {
  const { db, organizationId } = unwrap(tenant)

  // In the text of the statement: a plan that PostgreSQL keeps for any limit would read too many rows.
  const first = Math.trunc(limit)
  const query = db.raw(
    `with live as (
       ${applies} and r.phase in (${phasesIn(livePhases)})
       union all ${releases} and a.phase in (${phasesIn(liveApplicationPhases)})),
     last_runs as (
       select ${run} from (
         (${applies} order by r.id desc limit ${first})
         union all (${releases} order by a.pipeline_run_id desc limit ${first})
         order by id desc limit ${first}) r ${places}),
     decidable as (
       select waiting.id as run_id
       from (select * from live where waits order by id) waiting
         join users u on u.organization_id = waiting.organization_id and u.id = :userId
         -- The lateral join computes the rule once a run, and for no run beyond the limit.
         cross join lateral (
           ${selectApprovalRules} where r.organization_id = waiting.organization_id and r.id = waiting.id
           union all
           ${selectReleaseRules} where a.organization_id = waiting.organization_id and a.pipeline_run_id = waiting.id
           offset 0) rule
       where ${fault} is null order by waiting.id limit ${first}),
     mine as (
       select ${run} from live r ${places} where r.id in (select run_id from decidable))
     select json_build_object(
       'workspaces', (select count(*) from workspaces where organization_id = :organizationId),
       'pipelines', (select count(*) from pipelines where organization_id = :organizationId),
       'live', (select count(*) from live),
       'waiting', (select count(*) from live where waits),
       'failedLastDay', ${failedLastDay('workspace_runs')} + ${failedLastDay('application_runs')}) as counts,
       (select coalesce(json_agg(l order by l.id desc), '[]') from last_runs l) as "lastRuns",
       (select coalesce(json_agg(m order by m.id), '[]') from mine m) as "waitingForMe"`,
    {
      organizationId,
      userId,
      ceiling,
      platformAdmin,
      idpSavedBy: idpSavedBy as never,
      stopped: [...stoppedReasons] as never,
    },
  )
  const [data] = await askNamed<ConsoleData>(db, `console-data-${first}`, query)
  if (!data) throw new Error('a statement of one row has none')
  return data
}
