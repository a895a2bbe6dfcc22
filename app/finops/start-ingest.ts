import type { IngestTrigger } from '../../domain/finops/ingest-state.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { billingIngests } from '../../store/finops/billing-ingests.ts'
import { outbox } from '../../store/outbox/outbox.ts'
import { ingestBillingId, ingestBillingType } from '../../workflows/finops/contract.ts'
import { controlQueue } from '../../workflows/platform/contract.ts'
import { endIngest } from './end-ingest.ts'
import { planRound } from './plan-round.ts'

/**
 * Starts an ingest of the organization's bills, or joins the one that runs, which then looks once more.
 * One without anything to look at is over at once.
 */
export async function startIngest(
  tenant: Tenant,
  { trigger }: { trigger: IngestTrigger },
): Promise<{ ingestId: number; joined: boolean }> {
  const { organizationId } = tenant
  const { ingest, isNew } = await billingIngests(tenant).begin(trigger)
  const ingestId = ingest.id
  if (!isNew) return { ingestId, joined: true }
  if (!(await planRound(tenant, { ingestId, trigger }))) {
    await endIngest(tenant, { ingestId, failure: null })
    return { ingestId, joined: false }
  }
  const input = { organizationId, ingestId }
  await outbox(tenant).start({
    workflowType: ingestBillingType,
    workflowId: ingestBillingId(input),
    taskQueue: controlQueue,
    input,
    summary: `bills, ingest ${ingestId}`,
    searchAttributes: { OrgId: `org-${organizationId}`, RunKind: 'billing' },
    dedupeKey: `billing/${ingestId}`,
  })
  return { ingestId, joined: false }
}
