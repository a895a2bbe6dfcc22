import type { FoundSlice } from '../../gateways/clouds/cloud.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { billingIngests } from '../../store/finops/billing-ingests.ts'
import { ingestSlices, type NewestLook } from '../../store/finops/ingest-slices.ts'
import { readingSlices } from '../../store/finops/reading-slices.ts'
import { refuseAgain } from '../../store/finops/refuse-again.ts'

/**
 * Notes the months that a look found, and answers those that are to be read: not the ones that wait, nor
 * those whose files are the same as at the last look. Files that could not be read are refused again, unless
 * a person asked for the ingest; a look that failed for another reason than its files is made again.
 */
export async function noteFound(
  tenant: Tenant,
  { ingestId, sourceId, found }: { ingestId: number; sourceId: number; found: FoundSlice[] },
): Promise<Array<{ id: number; period: string }>> {
  const slices = readingSlices(tenant)
  const known = new Map(
    (await ingestSlices(tenant).newest(sourceId)).map((slice) => [slice.period, slice]),
  )
  const isRequested = await billingIngests(tenant).isRequested(ingestId)
  const begun: Array<{ id: number; period: string }> = []
  for (const { period: month, state, reason, manifest, hash, files } of found) {
    const period = `${month}-01`
    const look = { ingestId, sourceId, period, manifest, manifestHash: hash, files: files.length }
    const last = known.get(period)
    const same = last?.manifestHash === hash ? last : undefined
    if (state === 'waiting') await slices.note(look, { state, reason })
    else if (same && isSettled(same)) await slices.note(look, { state: 'unchanged', reason: null })
    else if (same?.contentRefused && !isRequested) await refuseAgain(tenant, look, same.id)
    else begun.push(await slices.beginReading(look))
  }
  return begun
}

const isSettled = ({ state }: NewestLook): boolean => state !== 'refused' && state !== 'reading'
