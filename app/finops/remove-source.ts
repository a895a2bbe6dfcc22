import { auditLog, type AuditActor } from '../../store/audit/audit-log.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { billingSources, type BillingSource } from '../../store/finops/billing-sources.ts'
import { raiseCostVersion } from '../../store/finops/raise-cost-version.ts'

/**
 * Removes a source: its cost is seen no more from this transaction on, and the task `forget-charges`
 * deletes it with what was uploaded for it. Idempotent.
 */
export async function removeSource(
  tenant: Tenant,
  { id, cloudAccountId, name }: BillingSource,
  actor: AuditActor,
): Promise<void> {
  if (!(await billingSources(tenant).remove(id))) return
  await auditLog(tenant, actor).record('finops.source_removed', {
    target: { kind: 'billing_source', id, ...(name !== null && { label: name }) },
    detail: { cloudAccountId },
  })
  await raiseCostVersion(tenant)
}
