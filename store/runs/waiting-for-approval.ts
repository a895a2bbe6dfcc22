import { unwrap, type Tenant } from '../driver/tenant.ts'

/**
 * The runs of these workspaces that wait for an approval, or whose apply has not begun. In ascending
 * order of workspaces.
 */
export async function waitingForApproval(
  tenant: Tenant,
  workspaceIds: readonly number[],
): Promise<number[]> {
  if (workspaceIds.length === 0) return []
  const { db, organizationId } = unwrap(tenant)
  return db('workspace_runs')
    .where({ organizationId })
    .whereRaw('workspace_id = any(?::integer[])', [[...workspaceIds]])
    .whereIn('phase', ['awaiting_approval', 'apply_queued'])
    .orderBy(['workspaceId', 'id'])
    .pluck('id')
}
