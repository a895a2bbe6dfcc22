import { stateOfIngest } from '../../domain/finops/ingest-state.ts'
import { auditLog, systemActor } from '../../store/audit/audit-log.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { billingIngests } from '../../store/finops/billing-ingests.ts'
import { takenUploads } from '../../store/finops/taken-uploads.ts'
import { ingestSlices } from '../../store/finops/ingest-slices.ts'
import { ingestSources } from '../../store/finops/ingest-sources.ts'
import { endSource } from './end-source.ts'
import { planRound } from './plan-round.ts'
import { reasonOfFailure } from './reason-of-failure.ts'
import { refuseLeft } from './refuse-left.ts'
import { tellOfBrokenIngest } from './tell-of-source.ts'

/**
 * Ends an ingest. `again`: it was asked to look once more while it ran, or sources wait that an attempt
 * before this one added for that. Idempotent: only the call that ends the row writes the audit entry.
 */
export async function endIngest(
  tenant: Tenant,
  { ingestId, failure }: { ingestId: number; failure: string | null },
): Promise<'again' | 'over'> {
  const ingests = billingIngests(tenant)
  const ingest = await ingests.getForUpdate(ingestId)
  if (ingest.state !== 'running') return 'over'
  const sources = ingestSources(tenant)
  if (failure === null) {
    if ((await sources.waiting(ingestId, 1)).length > 0) return 'again'
    const looksAgain = await ingests.takeLookAgain(ingestId)
    if (looksAgain && (await planRound(tenant, { ingestId, trigger: 'request' }))) return 'again'
  } else {
    // Their files are still there: the next ingest reads them.
    await takenUploads(tenant).giveBack(ingestId)
    const waiting = await sources.waiting(ingestId, maxSources)
    await tellOfBrokenIngest(tenant, { ingestId, sourceIds: waiting }, reasonOfFailure(failure))
    for (const sourceId of waiting) await endSource(tenant, { ingestId, sourceId, failure })
  }
  // Of a source that was over before what was begun of it.
  await refuseLeft(tenant, { ingestId, reason: reasonOfFailure(failure ?? 'bill_lost') })
  const states = (await sources.list(ingestId)).map(({ state }) => state)
  const state = failure === null ? stateOfIngest(states) : 'failed'
  await ingests.end(ingestId, state)
  const totals = await ingestSlices(tenant).countInto(ingestId)
  await auditLog(tenant, systemActor).record('finops.ingested', {
    outcome: state === 'failed' ? 'failure' : 'success',
    target: { kind: 'billing_ingest', id: ingestId },
    detail: { trigger: ingest.trigger, state, ...totals },
  })
  return 'over'
}

const maxSources = 100_000
