import type { Store } from '../driver/connect.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

export type PlanTry = {
  workspaceRunId: number
  engineRunId: string
  hash: Buffer
  prefix: string
  hours: number
}

/**
 * Counts an attempt to plan a run, by the token that it gets, under the workspace's fencing number.
 * False if the run is not to be planned any more.
 */
export async function beginPlan(
  store: Pick<Store, 'write'>,
  organizationId: number,
  { workspaceRunId, engineRunId, hash, prefix, hours }: PlanTry,
): Promise<boolean> {
  const begun = await store.write(organizationId, {
    name: 'begin-plan',
    text: `with run as (
        update workspace_runs set engine_run_id = $3
        where organization_id = $1 and id = $2 and phase = 'planning' and cancel_requested_at is null
        returning organization_id, workspace_id, id)
      insert into tokens (organization_id, kind, name, workspace_run_id, run_phase, fence, hash, prefix, expires_at)
      select run.organization_id, 'run', 'run ' || run.id || ' plan', run.id, 'plan', w.fence, $4::bytea, $5::text,
        now() + make_interval(hours => $6)
      from run join workspaces w on w.organization_id = run.organization_id and w.id = run.workspace_id
      returning id`,
    values: [organizationId, workspaceRunId, engineRunId, hash, prefix, hours],
  })
  return begun.length === 1
}

/** Whether no later attempt to plan the run was begun than the one that got this token. */
export async function isNewestPlan(
  tenant: Tenant,
  workspaceRunId: number,
  hash: Buffer,
): Promise<boolean> {
  const { db, organizationId } = unwrap(tenant)
  const newest = await db('tokens')
    .where({ organizationId, workspaceRunId, kind: 'run', runPhase: 'plan' })
    .orderBy('id', 'desc')
    .first('hash')
  return newest !== undefined && hash.equals(newest.hash)
}
