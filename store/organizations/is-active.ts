import { unwrap, type Tenant } from '../driver/tenant.ts'
/** Whether the organization may work, or is suspended. */
export async function isActive(tenant: Tenant): Promise<boolean> {
  const { db, organizationId } = unwrap(tenant)

  const row = await db('organizations').where({ id: organizationId }).first('status')
  return row?.status === 'active'
}
