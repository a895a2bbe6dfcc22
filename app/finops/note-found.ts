import { completeThrough } from '../../domain/finops/complete-through.ts'
import type { FoundSlice } from '../../gateways/clouds/cloud.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { billingSlices } from '../../store/finops/billing-slices.ts'
import { billingIngests } from '../../store/finops/billing-ingests.ts'
import { ingestSources } from '../../store/finops/ingest-sources.ts'
import { ingestSlices, type NewestLook } from '../../store/finops/ingest-slices.ts'
import { readingSlices, type LookedAt } from '../../store/finops/reading-slices.ts'
import { raiseCostVersion } from '../../store/finops/raise-cost-version.ts'
import { readAgain } from '../../store/finops/read-again.ts'
import { refuseAgain } from '../../store/finops/refuse-again.ts'
import { sliceDecisions } from '../../store/finops/slice-decisions.ts'
import { completeFurther } from '../../store/finops/slice-moves.ts'

type Looked = { ingestId: number; sourceId: number; found: FoundSlice[]; place: string }

/**
 * Notes the months that a look found, and answers those that are to be read: not the ones that wait, nor
 * those whose files are the same as at the last look, unless their tags are to be read again. Files that could not be read are refused again, unless
 * a person asked for the ingest; a look that failed for another reason than its files is made again.
 */
export async function noteFound(
  tenant: Tenant,
  { ingestId, sourceId, found, place }: Looked,
): Promise<Array<{ id: number; period: string }>> {
  if (found.length === 0)
    await ingestSources(tenant).noteReason({ ingestId, sourceId }, noBill(place))
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
    else if (same && isSettled(same) && !same.readAgain) {
      await slices.note(look, { state: 'unchanged', reason: null })
      await noteComplete(tenant, look)
    } else if (same?.contentRefused && !isRequested) await refuseAgain(tenant, look, same.id)
    else begun.push(await slices.beginReading(look))
  }
  const isThere = new Set(found.map(({ period }) => `${period}-01`))
  const gone = [...known.values()].filter((slice) => slice.readAgain && !isThere.has(slice.period))
  const periods = gone.map(({ period }) => period)
  if (periods.length > 0)
    await readAgain(tenant).giveUp({ ingestId, sourceId, periods }, exportIsGone)
  return begun
}

/**
 * The days up to the end of a month that is over are complete once its provider has left its files as they were for
 * a few days: no later file would say so. Of a month that goes on a later file does, and files that stay as they
 * were mean that the export stands still (docs/decisions/0225-end-of-a-month.md).
 */
async function noteComplete(
  tenant: Tenant,
  { sourceId, period, manifestHash }: LookedAt,
): Promise<void> {
  const now = Date.now()
  if (monthOf(now - settledAfterMs) <= period.slice(0, 7)) return
  const current = await billingSlices(tenant).current(sourceId, period)
  if (current?.manifestHash !== manifestHash) return
  const providers = Object.keys(current.providerNames)
  const through = completeThrough(providers, current.lastDay, new Date(now))
  if (through === null || through === current.completeThrough) return
  if (!(await completeFurther(tenant, current.id, through))) return
  await sliceDecisions(tenant).planScore(current.id)
  await raiseCostVersion(tenant)
}

/** No fault: a new export has no file for up to a day. */
const noBill = (place: string): string =>
  `There is no bill in ${place} yet. The first one comes within a day after its export is made. Check the place in the account otherwise.`

const exportIsGone =
  'The export of this month is not there any more, so its tags stay as they were read.'

const settledAfterMs = 3 * 86_400_000
const monthOf = (ms: number): string => new Date(ms).toISOString().slice(0, 7)

const isSettled = ({ state }: NewestLook): boolean => state !== 'refused' && state !== 'reading'
