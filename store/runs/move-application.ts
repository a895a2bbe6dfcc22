import { notFound } from '../../domain/errors.ts'
import {
  applicationStages,
  isLive,
  mayMove,
  stagesOf,
  type ApplicationPhase,
} from '../../domain/pipelines/application-state.ts'
import { isTerminal, type RunReason } from '../../domain/runs/run-state.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

export type ApplicationMove = {
  from: ApplicationPhase
  to: ApplicationPhase
  reason?: RunReason
  message?: string
  /** Who let the stage `deploy` go on, or what ended it where nothing was deployed. */
  by?: string
}

/**
 * Compare-and-swap: the run moves only from `from`, and its stages with it. Of two racing workers,
 * or an activity and its retry, exactly one gets `true`.
 */
export async function moveApplication(
  tenant: Tenant,
  id: number,
  move: ApplicationMove,
): Promise<boolean> {
  const { db, organizationId } = unwrap(tenant)
  const { from } = move
  if (!mayMove(from, move.to)) return false
  const at = stagesAfter(from, move.to)
  const { rows } = await db.raw(movingSql, {
    organizationId,
    id,
    from,
    to: move.to,
    reason: move.reason ?? null,
    message: move.message ?? null,
    isEnd: isTerminal(move.to),
    by: move.by ?? null,
    names: [...applicationStages],
    after: applicationStages.map((name) => at[name]),
  })
  return rows.length === 1
}

/** The row stays locked until the transaction ends. */
export async function lockApplication(tenant: Tenant, id: number): Promise<LockedApplicationRun> {
  const { db, organizationId } = unwrap(tenant)
  const { rows } = await db.raw(
    `select a.phase, a.reason, r.number, p.id as "pipelineId", p.name as "pipelineName"
     from application_runs a
       join pipeline_runs r on r.organization_id = a.organization_id and r.id = a.pipeline_run_id
       join pipelines p on p.organization_id = a.organization_id and p.id = r.pipeline_id
     where a.organization_id = ? and a.pipeline_run_id = ? for update of a`,
    [organizationId, id],
  )
  if (!rows[0]) throw notFound()
  return rows[0]
}

export type LockedApplicationRun = {
  phase: ApplicationPhase
  reason: RunReason | null
  number: number
  pipelineId: number
  pipelineName: string
}

function stagesAfter(from: ApplicationPhase, to: ApplicationPhase) {
  if (isLive(to)) return stagesOf(to, { hasArtifact: false })
  if (!isLive(from)) throw new Error('a run that has ended does not move')
  return stagesOf(from, { hasArtifact: false, ended: to })
}

const movingSql = `
  with moved as (
    update application_runs
    set phase = :to, reason = :reason, message = :message,
      started_at = coalesce(started_at, case when :to::text <> 'canceled' then now() end),
      ended_at = case when :isEnd then now() end
    where organization_id = :organizationId and pipeline_run_id = :id and phase = :from
    returning organization_id, pipeline_run_id),
  changed as (
    update stages s
    set state = step.after,
      by = case when s.name = 'deploy' then coalesce(:by::text, s.by) else s.by end,
      started_at = case when step.after in ('running', 'waiting', 'succeeded')
        then coalesce(s.started_at, now()) else s.started_at end,
      ended_at = case when step.after = 'succeeded'
        or (step.after in ('failed', 'canceled') and s.started_at is not null) then now() end
    from moved, unnest(:names::text[], :after::text[]) as step (name, after)
    where s.organization_id = moved.organization_id and s.pipeline_run_id = moved.pipeline_run_id
      -- A promotion and a rollback have no source and no build of their own.
      and s.name = step.name and s.state <> 'skipped'
      and (s.state <> step.after or (s.name = 'deploy' and :by::text is not null)))
  select pg_notify('cc_run', pipeline_run_id::text) from moved`
