import { askPrepared } from '../driver/ask-prepared.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

export type ApplyRight = {
  workspaceRunId: number
  workspaceId: number
  worker: string
  /** Of the run's token. */
  hash: Buffer
  prefix: string
  hours: number
}

/**
 * Takes the one right to apply a run, in one statement: a new fencing number, the row of the attempt,
 * the workspace's lock, a token in place of the plan's, the phase and the stage. Returns the fencing
 * number. Undefined if the run is not in `apply_queued`, somebody else holds the lock, or the run has
 * an attempt. The caller holds the workspace's row, under which locks and attempts are made.
 */
export async function takeApply(tenant: Tenant, right: ApplyRight): Promise<number | undefined> {
  const { db, organizationId } = unwrap(tenant)
  const { workspaceRunId, workspaceId, worker, hash, prefix, hours } = right
  const [row] = await askPrepared<{ fence: number }>(db, {
    name: 'take-apply',
    // Without `on conflict` for the attempt: a second row is an error, which rolls all of it back.
    text: `with moved as (
        update workspace_runs r set phase = 'applying'
        where r.organization_id = $1 and r.id = $2 and r.workspace_id = $3 and r.phase = 'apply_queued'
          and not exists (select from workspace_locks l where l.organization_id = $1
            and l.workspace_id = $3 and l.workspace_run_id is distinct from $2)
          and not exists (select from apply_attempts a where a.organization_id = $1
            and a.workspace_run_id = $2)
        returning r.id),
      raised as (
        update workspaces w set fence = fence + 1 from moved
        where w.organization_id = $1 and w.id = $3 returning w.fence),
      attempt as (
        insert into apply_attempts (organization_id, workspace_run_id, fence, worker)
        select $1, $2, fence, $4::text from raised),
      locked as (
        insert into workspace_locks (organization_id, workspace_id, kind, workspace_run_id, label)
        select $1, $3, 'run', $2, 'run ' || $2::integer from raised
        on conflict (workspace_id) do nothing),
      revoked as (
        update tokens t set revoked_at = now() from moved
        where t.organization_id = $1 and t.workspace_run_id = $2 and t.kind = 'run' and t.revoked_at is null),
      token as (
        insert into tokens (organization_id, kind, name, workspace_run_id, run_phase, fence, hash, prefix, expires_at)
        select $1, 'run', 'run ' || $2::integer || ' apply', $2, 'apply', fence, $5::bytea, $6::text,
          now() + make_interval(hours => $7)
        from raised),
      stage as (
        update stages s set state = 'running', started_at = coalesce(s.started_at, now()), ended_at = null
        from moved where s.organization_id = $1 and s.workspace_run_id = $2 and s.name = 'apply')
      select fence, pg_notify('cc_run', $2::integer::text) from raised`,
    values: [organizationId, workspaceRunId, workspaceId, worker, hash, prefix, hours],
  })
  return row?.fence
}
