import { conflict, notFound } from '../../domain/errors.ts'
import { auditLog, type AuditActor } from '../../store/audit/audit-log.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { billingSlices, type LoadedSlice } from '../../store/finops/billing-slices.ts'
import { billingSources } from '../../store/finops/billing-sources.ts'
import { sliceDecisions } from '../../store/finops/slice-decisions.ts'
import { sliceMoves } from '../../store/finops/slice-moves.ts'
import { putInPlace } from './swap-slice.ts'

type By = { actor: AuditActor; userId: number | null }

/**
 * Puts a suspect slice in the place of the current one: exactly what was looked at. Its sums are there
 * already, and its counts hold: what replaces the current slice takes the place of this one too, unless it has the
 * same rows of the bill.
 */
export async function acceptSlice(tenant: Tenant, id: number, by: By): Promise<LoadedSlice> {
  const slice = await holdSuspect(tenant, id)
  const slices = billingSlices(tenant)
  const current = await slices.current(slice.sourceId, slice.period)
  const changes = { upserted: slice.recordsUpserted, removed: slice.recordsRemoved }
  const put = { slice, from: 'suspect', replaced: current?.id, isReread: false, changes } as const
  if (!(await putInPlace(tenant, by.actor, put))) throw changed()
  await sliceDecisions(tenant).planScore(id)
  await note(tenant, slice, { ...by, event: 'finops.slice_accepted' })
  return slices.get(id)
}

/** Drops a suspect slice: what it was to replace stays. */
export async function discardSlice(tenant: Tenant, id: number, by: By): Promise<LoadedSlice> {
  const slice = await holdSuspect(tenant, id)
  await sliceMoves(tenant).discard(id, 'suspect', 'Discarded by a person.')
  await note(tenant, slice, { ...by, event: 'finops.slice_discarded' })
  return billingSlices(tenant).get(id)
}

/** The source first, as a swap does: the other order could deadlock. */
async function holdSuspect(tenant: Tenant, id: number): Promise<LoadedSlice> {
  const slices = billingSlices(tenant)
  const { sourceId } = await slices.get(id)
  if (!(await billingSources(tenant).hold(sourceId))) throw notFound()
  const slice = await slices.getForUpdate(id)
  if (slice.state === 'superseded') throw changed()
  if (slice.state !== 'suspect')
    throw conflict('slice_not_suspect', 'Only a suspect slice can be accepted or discarded.')
  return slice
}

const changed = () =>
  conflict('export_changed', 'There is a later export by now, which took the place of this one.')

async function note(
  tenant: Tenant,
  { id, sourceId, period }: LoadedSlice,
  { actor, userId, event }: By & { event: string },
): Promise<void> {
  await sliceDecisions(tenant).note(id, userId)
  await auditLog(tenant, actor).record(event, {
    target: { kind: 'billing_slice', id },
    detail: { sourceId, period },
  })
}
