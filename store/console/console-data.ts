import { livePhases, type RunPhase, type RunReason } from '../../domain/pipelines/run-state.ts'
import type { Db } from '../connect.ts'
import { unknownBefore } from '../pipelines/eligible-approvers.ts'

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
  author: string
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

/** What the person may decide about: nothing without the capability, and of an unknown author's only with more. */
export type Decider = { userId: number; mayApprove: boolean; mayVouch: boolean; limit: number }

const run = `r.id, p.number, p.pipeline_id as "pipelineId", r.workspace_id as "workspaceId",
  w.name as "workspaceName", w.criticality, r.kind, r.destroy, r.phase, r.reason,
  coalesce(nullif(u.email, ''), u.name, 'a push') as author, r.created_at as "createdAt", r.ended_at as "endedAt"`

const places = `
  join workspaces w on w.organization_id = r.organization_id and w.id = r.workspace_id
  left join users u on u.organization_id = r.organization_id and u.id = r.author_user_id
  left join pipeline_runs p on p.organization_id = r.organization_id and p.id = r.id`

/**
 * All that the console's first page shows, in one statement: each part reads an index of
 * its own, so it costs the same after a million runs. Who may decide is read as
 * `faultOfApprover` says it, for many runs at once.
 */
export async function consoleData(
  db: Db,
  organizationId: number,
  { userId, mayApprove, mayVouch, limit }: Decider,
): Promise<ConsoleData> {
  const { rows } = await db.raw(
    `with live as (
       select r.* from workspace_runs r
       where r.organization_id = :organizationId and r.phase in (${livePhases.map((p) => `'${p}'`).join(', ')})),
     last_runs as (
       select ${run} from (select * from workspace_runs
         where organization_id = :organizationId order by id desc limit :limit) r ${places}),
     mine as (
       select ${run} from live r ${places}
         join configuration_versions v on v.organization_id = r.organization_id and v.id = r.configuration_version_id
       where r.phase = 'awaiting_approval' and :mayApprove
         and r.author_user_id is distinct from :userId and not :userId = any(v.author_user_ids)
         and (:mayVouch or not (v.unknown_author or ${unknownBefore('v')}))
         and not exists (select 1 from workspace_authorship a
           where a.organization_id = r.organization_id and a.workspace_id = r.workspace_id
             and a.applied_at is null and a.user_id = :userId)
       order by r.id limit :limit)
     select json_build_object(
       'workspaces', (select count(*) from workspaces where organization_id = :organizationId),
       'pipelines', (select count(*) from pipelines where organization_id = :organizationId),
       'live', (select count(*) from live),
       'waiting', (select count(*) from live where phase = 'awaiting_approval'),
       'failedLastDay', (select count(*) from workspace_runs where organization_id = :organizationId
         and phase = 'failed' and ended_at > now() - interval '24 hours')) as counts,
       (select coalesce(json_agg(l order by l.id desc), '[]') from last_runs l) as "lastRuns",
       (select coalesce(json_agg(m order by m.id), '[]') from mine m) as "waitingForMe"`,
    { organizationId, userId, mayApprove, mayVouch, limit },
  )
  return rows[0]
}
