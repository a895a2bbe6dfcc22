import { isDeepStrictEqual } from 'node:util'
import type { Caller } from '../../domain/access/caller.ts'
import { parseDecimal } from '../../domain/finops/decimal.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { prices, type NewPrice, type StoredPrice } from '../../store/finops/prices.ts'
import { noteGuardChange } from '../../app/policies/note-guard-change.ts'
import type { Deps } from '../deps.ts'
import { priceColumns } from './price-columns.ts'
import type { PriceChangeBody } from './schemas.ts'

/** Changes an entry of the price book. */
export async function updatePrice(
  deps: Deps,
  caller: Caller,
  { id, change }: { id: number; change: PriceChangeBody },
): Promise<StoredPrice> {
  const { organizationId } = caller
  return deps.store.tenant(organizationId, async (tenant) => {
    const before = await prices(tenant).getForUpdate(id)
    const columns = changedColumns(before, priceColumns(change))
    const changed = Object.keys(columns)
    if (changed.length === 0) return before
    const after = await prices(tenant).update(id, columns)
    // `source` changes no judgement, so it voids nothing.
    if (changed.some((field) => field !== 'source'))
      await noteGuardChange(tenant, caller, { what: 'price', guarded: ['limited'] })
    await auditLog(tenant, actorOf(caller)).record('finops.price_updated', {
      target: { kind: 'price', id, label: after.resourceType },
      detail: Object.fromEntries(
        Object.entries(columns).map(([field, to]) => [
          field,
          { from: plain(field, before[field as keyof NewPrice]), to: plain(field, to) },
        ]),
      ),
    })
    return after
  })
}

/** Only the differences: sending a price back unchanged is no change. */
function changedColumns(before: StoredPrice, change: Partial<NewPrice>): Partial<NewPrice> {
  const { monthlyPrice, ...rest } = change
  const changed = Object.entries(rest).filter(
    ([field, value]) => !isDeepStrictEqual(before[field as keyof NewPrice], value),
  )
  const repriced =
    monthlyPrice !== undefined && parseDecimal(monthlyPrice) !== parseDecimal(before.monthlyPrice)
  return { ...Object.fromEntries(changed), ...(repriced && { monthlyPrice }) }
}

/** The store returns all decimals of an amount; both sides are compared in one notation. */
const plain = (field: string, value: unknown): unknown =>
  field === 'monthlyPrice' ? Number(value) : value
