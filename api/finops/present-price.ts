import type { StoredPrice } from '../../store/finops/prices.ts'
import type { PriceBody } from './schemas.ts'

/** A price of the book; the amount is the number nearest to what is stored exactly. */
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
