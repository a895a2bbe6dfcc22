import { askPrepared } from '../driver/ask-prepared.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

/** Revokes a run's tokens and releases its lock, in one statement. */
export async function freeRun(tenant: Tenant, workspaceRunId: number): Promise<void> {
  const { db, organizationId } = unwrap(tenant)
  await askPrepared(db, {
    name: 'free-run',
    text: `with revoked as (
        update tokens set revoked_at = now() where organization_id = $1 and workspace_run_id = $2
          and kind = 'run' and revoked_at is null)
      delete from workspace_locks
      where organization_id = $1 and workspace_run_id = $2 and kind = 'run'`,
    values: [organizationId, workspaceRunId],
  })
}
