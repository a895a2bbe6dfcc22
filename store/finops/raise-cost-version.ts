import { unwrap, type Tenant } from '../driver/tenant.ts'

/**
 * Says that reads of cost answer otherwise from this transaction on. Call it last: until the transaction
 * ends, the row's lock keeps other changes of the organization's cost waiting.
 */
export async function raiseCostVersion(tenant: Tenant): Promise<void> {
  const { db, organizationId } = unwrap(tenant)
  await db.raw(
    `insert into cost_versions as v (organization_id) values (?)
     on conflict (organization_id) do update set version = v.version + 1, changed_at = now()`,
    [organizationId],
  )
}

/** Says the same of what shows budgets. Their figures, which depend on the cost alone, stay. Call it last. */
export async function noteBudgetsChanged(tenant: Tenant): Promise<void> {
  const { db, organizationId } = unwrap(tenant)
  await db.raw(
    `insert into cost_versions (organization_id, version) values (?, 0)
     on conflict (organization_id) do update set changed_at = now()`,
    [organizationId],
  )
}
