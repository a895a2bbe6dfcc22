import { unwrap, type Tenant } from '../driver/tenant.ts'
export type WorkspaceName = { id: number; name: string; criticality: 'standard' | 'production' }

/** The names of workspaces, for lists of other things. */
export async function namesOfWorkspaces(
  tenant: Tenant,
  ids: readonly number[],
): Promise<Map<number, WorkspaceName>> {
  const { db, organizationId } = unwrap(tenant)

  if (ids.length === 0) return new Map()
  const rows: WorkspaceName[] = await db('workspaces')
    .where({ organizationId })
    .whereIn('id', [...ids])
    .select('id', 'name', 'criticality')
  return new Map(rows.map((row) => [row.id, row]))
}
