import { unwrap, type Tenant } from '../driver/tenant.ts'

/** Empty where the organization is being removed. */
export async function nameOfOrganization(tenant: Tenant): Promise<string> {
  const { db, organizationId } = unwrap(tenant)
  return (await db('organizations').where({ id: organizationId }).first('name'))?.name ?? ''
}
