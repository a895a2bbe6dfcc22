import { isDeepStrictEqual } from 'node:util'
import type { Caller } from '../../domain/access/caller.ts'
import { parseDecimal } from '../../domain/finops/decimal.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { prices, type PriceChange, type StoredPrice } from '../../store/finops/prices.ts'
import { roomInPriceBook } from '../../store/finops/room-in-price-book.ts'
import { guardedByPrices } from '../../app/finops/guarded-by-prices.ts'
import { noteGuardChange } from '../../app/policies/note-guard-change.ts'
import type { Deps } from '../deps.ts'
import { assertOwnSource, priceColumns } from './price-columns.ts'
import type { PriceChangeBody } from './schemas.ts'

/**
 * Changes an entry of the price book. A learned price can only be switched off and on: any other change of
 * it makes it the person's own, which stands above what the next bill says.
 */
export async function updatePrice(
  deps: Deps,
  caller: Caller,
  { id, change }: { id: number; change: PriceChangeBody },
): Promise<StoredPrice> {
  const { organizationId } = caller
  return deps.store.tenant(organizationId, async (tenant) => {
    const room = roomInPriceBook(tenant)
    await room.hold()
    const before = await prices(tenant).getForUpdate(id)
    const columns = changedColumns(before, priceColumns(change))
    const changed = Object.keys(columns)
    if (changed.length === 0) return before
    assertOwnSource(columns.source)
    const isTaken = before.learned !== null && changed.some((field) => field !== 'enabled')
    if (isTaken) columns.source ??= 'manual'
    // A book from before the limits can still be switched off, and priced anew.
    if (columns.match || isTaken) await room.assert({ ...before, ...columns }, id)
    const after = await prices(tenant).update(id, {
      ...columns,
      ...(isTaken && { learned: null, learnedKey: null }),
    })
    if (judgesOtherwise(before, after))
      await noteGuardChange(tenant, caller, {
        what: 'price',
        guarded: await guardedByPrices(tenant),
      })
    await auditLog(tenant, actorOf(caller)).record('finops.price_updated', {
      target: { kind: 'price', id, label: after.resourceType },
      detail: Object.fromEntries(
        Object.entries(columns).map(([field, to]) => [
          field,
          { from: plain(field, before[field as keyof PriceChange]), to: plain(field, to) },
        ]),
      ),
    })
    return after
  })
}

/** The name of a source changes nothing, unless it is one that stands below the others. */
function judgesOtherwise(before: StoredPrice, after: StoredPrice): boolean {
  const judging = ({
    source,
    createdAt: _,
    updatedAt: __,
    version: ___,
    ...rest
  }: StoredPrice) => ({
    ...rest,
    isBelow: source === 'bill' || source === 'list' ? source : null,
  })
  return !isDeepStrictEqual(judging(before), judging(after))
}

/** Only the differences: sending a price back unchanged is no change. */
function changedColumns(before: StoredPrice, change: PriceChange): PriceChange {
  const { monthlyPrice, ...rest } = change
  const changed = Object.entries(rest).filter(
    ([field, value]) => !isDeepStrictEqual(before[field as keyof PriceChange], value),
  )
  const repriced =
    monthlyPrice !== undefined && parseDecimal(monthlyPrice) !== parseDecimal(before.monthlyPrice)
  return { ...Object.fromEntries(changed), ...(repriced && { monthlyPrice }) }
}

/** The store returns all decimals of an amount; both sides are compared in one notation. */
const plain = (field: string, value: unknown): unknown =>
  field === 'monthlyPrice' ? Number(value) : value
