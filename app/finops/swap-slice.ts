import { completeThrough } from '../../domain/finops/complete-through.ts'
import { parseDecimal } from '../../domain/finops/decimal.ts'
import { conflict, unavailable } from '../../domain/errors.ts'
import { hasSameRows, whyShrunk } from '../../domain/finops/shrunk-slice.ts'
import { auditLog, systemActor, type AuditActor } from '../../store/audit/audit-log.ts'
import type { Store } from '../../store/driver/connect.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { billingSlices, type LoadedSlice } from '../../store/finops/billing-slices.ts'
import { billingSources } from '../../store/finops/billing-sources.ts'
import { compareSlices } from '../../store/finops/compare-slices.ts'
import { raiseCostVersion } from '../../store/finops/raise-cost-version.ts'
import { rollUp } from '../../store/finops/roll-up.ts'
import { sliceMoves, type Changes } from '../../store/finops/slice-moves.ts'
import { tellOfSuspect } from './tell-of-suspect.ts'

type At = { organizationId: number; sliceId: number }
type Swapped = 'loaded' | 'suspect' | 'gone'

/** Another swap of the same period, or a change of owners, came in between. */
const maxTries = 5

/**
 * Has readers see a slice whose charges were copied, in place of the current one of its period. What takes
 * long (sums, comparison) is done before, in transactions that keep nobody waiting; the last one only moves
 * a mark. Idempotent: a slice that is not being read any more is left alone.
 */
export async function swapSlice(store: Store, { organizationId, sliceId }: At): Promise<Swapped> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const slice = await store.tenant(organizationId, async (tenant) => sumUp(tenant, sliceId))
    if (slice.state !== 'reading') return outcomeOf(slice)
    const current = await store.tenant(organizationId, async (tenant) =>
      billingSlices(tenant).current(slice.sourceId, slice.period),
    )
    const replaced = current?.id
    const changes = await store.tenant(organizationId, async (tenant) =>
      compareSlices(tenant, { sliceId, replaced, period: slice.period }),
    )
    const isSame = current !== undefined && hasSameRows(slice, current)
    const shrunk = current && !isSame ? whyShrunk(slice, current) : undefined
    // Another export may have the same rows too: it is no re-read.
    const isReread = isSame && current.readAgain && current.manifestHash === slice.manifestHash
    const swapped = await store.tenant(organizationId, async (tenant) =>
      decide(tenant, { slice, replaced, isReread, changes, shrunk }),
    )
    if (swapped) return swapped
  }
  throw unavailable('slice_contended', 'Other loads of the same month came in between. Try again.')
}

const outcomeOf = ({ state }: LoadedSlice): Swapped =>
  state === 'loaded' || state === 'suspect' ? state : 'gone'

/** Makes the slice's sums, and holds them against what the reader counted. */
async function sumUp(tenant: Tenant, sliceId: number): Promise<LoadedSlice> {
  const slices = billingSlices(tenant)
  // Of two attempts the second waits, and makes them anew.
  const slice = await slices.getForUpdate(sliceId)
  if (slice.state !== 'reading') return slice
  const sums = await rollUp(tenant, slice)
  const isWhole =
    sums.charges === slice.records &&
    (['billed', 'effective', 'list'] as const).every(
      (name) => parseDecimal(sums[name]) === parseDecimal(slice[name]),
    )
  if (!isWhole)
    throw conflict(
      'bill_not_whole',
      'What was loaded is not what the bill adds up to. The next ingest loads it anew.',
    )
  return slices.get(sliceId)
}

type Decision = {
  slice: LoadedSlice
  replaced: number | undefined
  isReread: boolean
  changes: Changes
  shrunk: string | undefined
}

/** Undefined if it is to be looked at once more. */
async function decide(
  tenant: Tenant,
  { slice: { id, sourceId }, replaced, isReread, changes, shrunk }: Decision,
): Promise<Swapped | undefined> {
  const source = await billingSources(tenant).hold(sourceId)
  const slices = billingSlices(tenant)
  const slice = await slices.getForUpdate(id)
  if (slice.state !== 'reading') return outcomeOf(slice)
  if (!source) {
    await sliceMoves(tenant).discard(id, 'reading', 'The source was removed.')
    return 'gone'
  }
  // An attempt that was taken for dead copied once more.
  if (slice.rolledUpAt === null) return undefined
  if (shrunk === undefined) {
    const isMade = await putInPlace(tenant, systemActor, {
      slice,
      from: 'reading',
      replaced,
      isReread,
      changes,
    })
    return isMade ? 'loaded' : undefined
  }
  if ((await slices.current(sourceId, slice.period))?.id !== replaced) return undefined
  const isFirst = await sliceMoves(tenant).makeSuspect(slice, { ...changes, reason: shrunk })
  await auditLog(tenant, systemActor).record('finops.slice_suspect', {
    target: { kind: 'billing_slice', id },
    detail: { sourceId, period: slice.period, reason: shrunk },
  })
  // An export that is written every few hours is told once, while one of the month waits.
  if (isFirst) await tellOfSuspect(tenant, slice, shrunk)
  return 'suspect'
}

/** In the caller's transaction, which holds the source. False if another slice is in its place by now. */
export async function putInPlace(
  tenant: Tenant,
  actor: AuditActor,
  {
    slice,
    from,
    replaced,
    isReread,
    changes,
  }: {
    slice: LoadedSlice
    from: 'reading' | 'suspect'
    replaced: number | undefined
    isReread: boolean
    changes: Changes
  },
): Promise<boolean> {
  const { id, sourceId, ingestId, period } = slice
  // As of its files, however long they were read or waited for a person.
  const through = completeThrough(Object.keys(slice.providerNames), slice.lastDay, slice.beganAt)
  const isMade = await sliceMoves(tenant).makeCurrent(slice, from, {
    replaced,
    isReread,
    ...changes,
    completeThrough: through,
  })
  if (!isMade) return false
  await auditLog(tenant, actor).record('finops.slice_loaded', {
    target: { kind: 'billing_slice', id },
    detail: {
      sourceId,
      ingestId,
      period,
      replaced: replaced ?? null,
      records: slice.records,
      recordsUpserted: changes.upserted,
      recordsRemoved: changes.removed,
      billed: slice.billed,
      effective: slice.effective,
    },
  })
  await raiseCostVersion(tenant)
  return true
}
