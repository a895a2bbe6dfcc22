import { stateOfSource } from '../../domain/finops/ingest-state.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { billingSources } from '../../store/finops/billing-sources.ts'
import { ingestSlices } from '../../store/finops/ingest-slices.ts'
import { ingestSources } from '../../store/finops/ingest-sources.ts'
import { sourceHealth } from '../../store/finops/source-health.ts'
import { takenUploads } from '../../store/finops/taken-uploads.ts'
import { reasonOfFailure } from './reason-of-failure.ts'
import { refuseLeft } from './refuse-left.ts'
import { tellOfFailure } from './tell-of-source.ts'

type Ended = { ingestId: number; sourceId: number; failure: string | null }

/**
 * Says what became of a source in an ingest, and tells people of its first failure. One with further uploads waits
 * on, and is looked at again. Idempotent: only a source that waits is changed.
 */
export async function endSource(
  tenant: Tenant,
  { ingestId, sourceId, failure }: Ended,
): Promise<void> {
  const at = { ingestId, sourceId }
  const sources = ingestSources(tenant)
  // Of two attempts the second waits. Locked before its slices, as by a swap: the other order could deadlock.
  await billingSources(tenant).hold(sourceId)
  const source = await sources.find(at)
  if (source?.state !== 'waiting') return
  if (failure !== null) {
    const reason = source.reason ?? reasonOfFailure(failure)
    await refuseLeft(tenant, { ...at, reason })
    await sources.note(at, { state: 'failed', reason })
    return tellOfFailure(tenant, at, reason)
  }
  // Of a bill whose own workflow did not end it.
  await refuseLeft(tenant, { ...at, reason: reasonOfFailure('bill_lost') })
  if (await takenUploads(tenant).wait(sourceId, ingestId)) return
  const found = await ingestSlices(tenant).list(at)
  const state = stateOfSource(found.map((slice) => slice.state))
  // Without a month, the look says why.
  const reason =
    found.length === 0
      ? source.reason
      : (found.find((slice) => slice.reason !== null)?.reason ?? null)
  await sources.note(at, { state, reason })
  const refused = newestOf(found).find((slice) => slice.state === 'refused')
  if (refused) await tellOfFailure(tenant, at, refused.reason)
  else await sourceHealth(tenant).noteWell(sourceId)
}

/** Of each month the newest look: one that was refused may be loaded later in the same ingest. */
const newestOf = <Slice extends { period: string | null }>(slices: readonly Slice[]): Slice[] => [
  ...new Map(slices.map((slice) => [slice.period, slice])).values(),
]
