import type { StoredPrice } from '../../store/finops/prices.ts'
import type { PriceBody } from './schemas.ts'

/** A price of the book. The amount is the closest number to the exact stored one. */
export function presentPrice(price: StoredPrice): PriceBody {
  const { id, provider, resourceType, match, currency, validFrom, source, version } = price
  return {
    id,
    provider,
    resourceType,
    match,
    monthlyPrice: Number(price.monthlyPrice),
    currency,
    validFrom,
    source,
    version,
    createdAt: price.createdAt.toISOString(),
    updatedAt: price.updatedAt.toISOString(),
  }
}
