import { unwrap, type Tenant } from '../driver/tenant.ts'

/** Deletes what is known of an account's resources, once the account is disconnected. */
export async function forgetResources(tenant: Tenant, cloudAccountId: number): Promise<void> {
  const { db, organizationId } = unwrap(tenant)
  // The syncs take their staged pages along, the places their resources.
  await db('cloud_syncs').where({ organizationId, cloudAccountId }).delete()
  await db('cloud_places').where({ organizationId, cloudAccountId }).delete()
}
