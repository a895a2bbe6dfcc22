import { unwrap, type Tenant } from '../driver/tenant.ts'
import { stoppedReasons } from '../../domain/runs/run-outcome.ts'
import type { RunOrigin } from '../../domain/runs/run-origin.ts'
import { livePhases, type RunPhase, type RunReason } from '../../domain/runs/run-state.ts'
import { faultOfApprover, selectApprovalRules } from '../approval-rule.ts'
import type { Approver } from '../runs/approvers.ts'

export type ConsoleRun = {
  id: number
  /** Null of a plan-only run: it is in no pipeline. */
  number: number | null
  pipelineId: number | null
  workspaceId: number
  workspaceName: string
  criticality: 'standard' | 'production'
  kind: 'apply' | 'plan'
  destroy: boolean
  phase: RunPhase
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

const run = `r.id, p.number, p.pipeline_id as "pipelineId", r.workspace_id as "workspaceId",
  w.name as "workspaceName", w.criticality, r.kind, r.destroy, r.phase, r.reason,
  r.origin, coalesce(nullif(u.email, ''), u.name) as author, r.created_at as "createdAt", r.ended_at as "endedAt"`

const places = `
  join workspaces w on w.organization_id = r.organization_id and w.id = r.workspace_id
  left join users u on u.organization_id = r.organization_id and u.id = r.author_user_id
  left join pipeline_runs p on p.organization_id = r.organization_id and p.id = r.id`

/**
 * All data of the console's first page, in one statement. Each part reads an index of its own, so
 * the cost does not grow with the number of runs.
 */
export async function consoleData(
  tenant: Tenant,
  { userId, ceiling, platformAdmin, idpSavedBy, limit }: Approver & { limit: number },
): Promise<ConsoleData> {
  const { db, organizationId } = unwrap(tenant)

  const { rows } = await db.raw(
    `with live as (
       select r.* from workspace_runs r
       where r.organization_id = :organizationId and r.phase in (${livePhases.map((p) => `'${p}'`).join(', ')})),
     last_runs as (
       select ${run} from (select * from workspace_runs
         where organization_id = :organizationId order by id desc limit :limit) r ${places}),
     decidable as (
       select waiting.id as workspace_run_id
       from (select * from live where phase in ('awaiting_approval', 'awaiting_plan_approval') order by id) waiting
         join users u on u.organization_id = waiting.organization_id and u.id = :userId
         -- The lateral join computes the rule once a run, and for no run beyond the limit.
         cross join lateral (${selectApprovalRules}
           where r.organization_id = waiting.organization_id and r.id = waiting.id offset 0) rule
       where ${fault} is null order by waiting.id limit :limit),
     mine as (
       select ${run} from live r ${places} where r.id in (select workspace_run_id from decidable))
     select json_build_object(
       'workspaces', (select count(*) from workspaces where organization_id = :organizationId),
       'pipelines', (select count(*) from pipelines where organization_id = :organizationId),
       'live', (select count(*) from live),
       'waiting', (select count(*) from live where phase in ('awaiting_approval', 'awaiting_plan_approval')),
       'failedLastDay', (select count(*) from workspace_runs where organization_id = :organizationId
         and phase = 'failed' and coalesce(reason <> all(:stopped), true)
         and ended_at > now() - interval '24 hours')) as counts,
       (select coalesce(json_agg(l order by l.id desc), '[]') from last_runs l) as "lastRuns",
       (select coalesce(json_agg(m order by m.id), '[]') from mine m) as "waitingForMe"`,
    {
      organizationId,
      userId,
      ceiling,
      platformAdmin,
      idpSavedBy: idpSavedBy as never,
      stopped: [...stoppedReasons] as never,
      limit,
    },
  )
  return rows[0]
}
