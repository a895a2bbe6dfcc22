import type { Caller } from '../../domain/access/caller.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { prices, type StoredPrice } from '../../store/finops/prices.ts'
import { roomInPriceBook } from '../../store/finops/room-in-price-book.ts'
import { guardedByPrices } from '../../app/finops/guarded-by-prices.ts'
import { noteGuardChange } from '../../app/policies/note-guard-change.ts'
import type { Deps } from '../deps.ts'
import { assertOwnSource, priceColumns } from './price-columns.ts'
import type { NewPriceBody } from './schemas.ts'

/** Adds an entry to the price book. It may change what a run costs wherever a cost limit is set. */
export async function createPrice(
  deps: Deps,
  caller: Caller,
  body: NewPriceBody,
): Promise<StoredPrice> {
  const { organizationId } = caller
  const { provider, resourceType, currency } = body
  assertOwnSource(body.source)
  const { match = {}, monthlyPrice = '0', validFrom, source = 'manual' } = priceColumns(body)
  return deps.store.tenant(organizationId, async (tenant) => {
    const room = roomInPriceBook(tenant)
    await room.hold()
    await room.assert({ match })
    const price = await prices(tenant).create({
      provider,
      resourceType,
      match,
      monthlyPrice,
      currency,
      source,
      validFrom: validFrom ?? new Date().toISOString().slice(0, 10),
    })
    await noteGuardChange(tenant, caller, {
      what: 'price',
      guarded: await guardedByPrices(tenant),
    })
    await auditLog(tenant, actorOf(caller)).record('finops.price_created', {
      target: { kind: 'price', id: price.id, label: price.resourceType },
      detail: {
        provider,
        match,
        monthlyPrice: Number(monthlyPrice),
        currency,
        validFrom: price.validFrom,
      },
    })
    return price
  })
}
