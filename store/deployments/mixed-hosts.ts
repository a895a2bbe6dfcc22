import { unwrap, type Tenant } from '../driver/tenant.ts'

export type MixedHosts = {
  /** The run whose release some hosts have. */
  runId: number
  /** The hosts that have it, beside others that do not. */
  names: string[]
}

/** No more than a message takes. */
const maxNames = 20

/**
 * What a rollback leaves behind if it ends without a deployment: it had the one under way stopped, whose hosts stay as
 * they are then. Undefined for another run, and while another rollback is to follow.
 */
export async function mixedHosts(
  tenant: Tenant,
  rollbackRunId: number,
): Promise<MixedHosts | undefined> {
  const { db, organizationId } = unwrap(tenant)
  const { rows } = await db.raw(
    `select last.pipeline_run_id as "runId",
       (array_agg(g.name order by h.position) filter (where h.runs_new))[:${maxNames}] as names
     from application_runs a
       join lateral (
         select d.pipeline_run_id, d.stop, d.ended_at from deployments d
         where d.organization_id = a.organization_id and d.pipeline_id = a.pipeline_id
           and d.workspace_id = a.target_workspace_id
         order by d.started_at desc, d.pipeline_run_id desc limit 1) last
         on last.stop = 'replaced' and last.ended_at is not null
       join deployment_hosts h on h.organization_id = a.organization_id
         and h.pipeline_run_id = last.pipeline_run_id
       join agents g on g.organization_id = h.organization_id and g.id = h.agent_id
         and g.deleted_at is null
     where a.organization_id = ? and a.pipeline_run_id = ? and a.rollback_of is not null
       and not exists (select from application_runs other
         where other.organization_id = a.organization_id and other.pipeline_id = a.pipeline_id
           and other.pipeline_run_id <> a.pipeline_run_id and other.rollback_of is not null
           and other.phase not in ('succeeded', 'failed', 'canceled'))
     group by last.pipeline_run_id having bool_or(h.runs_new) and bool_or(not h.runs_new)`,
    [organizationId, rollbackRunId],
  )
  return rows[0]
}

/** Shown with the rollback that ended, and with the run whose release some hosts have. */
export async function warnOfMixedHosts(
  tenant: Tenant,
  { rollbackRunId, runId }: { rollbackRunId: number; runId: number },
): Promise<void> {
  const { db, organizationId } = unwrap(tenant)
  const warned = db.raw(`array_append(array_remove(warnings, 'mixed_releases'), 'mixed_releases')`)
  for (const [table, pipelineRunId] of [
    ['application_runs', rollbackRunId],
    ['deployments', runId],
  ] as const)
    await db(table).where({ organizationId, pipelineRunId }).update({ warnings: warned })
}
