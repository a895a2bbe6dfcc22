import { unwrap, type Tenant } from '../driver/tenant.ts'

/** Ends the live sync of an account without its outcome. What it staged stays until its account is forgotten. */
export async function abandonSync(
  tenant: Tenant,
  { cloudAccountId, reason }: { cloudAccountId: number; reason: string },
): Promise<void> {
  const { db, organizationId } = unwrap(tenant)
  await db('cloud_syncs')
    .where({ organizationId, cloudAccountId, state: 'running' })
    .update({ state: 'failed', reason, endedAt: db.fn.now() })
}
