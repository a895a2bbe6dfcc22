import type { StoredPrice } from '../../store/finops/prices.ts'
import type { StoredUnlearned } from '../../store/finops/learned-prices.ts'
import type { PriceBody, UnpricedBody } from './schemas.ts'

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
    enabled: price.enabled,
    ...(price.learned && { learned: price.learned }),
    version,
    createdAt: price.createdAt.toISOString(),
    updatedAt: price.updatedAt.toISOString(),
  }
}

/** Resources on the bill that have no price, and why. */
export const presentUnpriced = ({ fromDay, toDay, ...rest }: StoredUnlearned): UnpricedBody => ({
  ...rest,
  from: fromDay,
  to: toDay,
})
