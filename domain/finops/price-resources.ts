import { parsePlan, type ResourceChange } from '../infrastructure/parse-plan.ts'
import { formatDecimal, parseDecimal } from './decimal.ts'
import { isFreeType } from './free-types.ts'
import { matchPrice, orderPrices, type OrderedPrice, type Price } from './match-price.ts'
import { plannedRegion, providerRegions } from './planned-region.ts'

export type { Price } from './match-price.ts'

/**
 * The monthly cost of a plan's resources before and after it, by the organization's price book.
 * Each instance of `count` and `for_each` is a resource of its own; a replacement has the price
 * of its old and of its new values; a deleted or forgotten object costs nothing afterwards.
 */
export function priceResources(
  planJson: unknown,
  prices: readonly Price[],
  context: PricingContext,
): PricedPlan {
  const book = groupByType(orderPrices(prices, context.at))
  const regions = providerRegions(planJson)
  const rows = parsePlan(planJson)
    .resourceChanges.filter(({ mode }) => mode === 'managed')
    .map((resource) =>
      priceResource(resource, {
        book: book.get(resource.type) ?? [],
        currency: context.currency,
        region: regions.get(resource.providerName),
      }),
    )
  const before = sum(rows.map((row) => row.before))
  const after = sum(rows.map((row) => row.after))
  return {
    before: formatDecimal(before),
    after: formatDecimal(after),
    delta: formatDecimal(after - before),
    currency: context.currency,
    coverage: coverageOf(rows),
    resources: rows,
  }
}

export type PricingContext = {
  /** The organization's currency. A price in another currency is ignored. */
  currency: string
  at: Date
}

/** Amounts are decimal texts in the major unit, a month. */
export type PricedPlan = {
  before: string
  after: string
  delta: string
  currency: string
  coverage: Coverage
  resources: PricedResource[]
}

export type Coverage = {
  priced: number
  free: number
  unpriced: number
  /** Share of the resources whose cost is known, 0 to 1, rounded down to four places. */
  ratio: number
}

export type PricedResource = {
  address: string
  type: string
  /** Null if the cost is unknown; then it is not in the totals. */
  before: string | null
  after: string | null
  delta: string | null
  priced: 'price' | 'free' | 'none'
  priceId?: number
  unpricedBecause?: UnpricedReason
  /** The currency of the ignored price. */
  priceCurrency?: string
}

export type UnpricedReason = 'no_price' | 'unknown_attributes' | 'currency_mismatch'

type Side = {
  amount: string | null
  /** True if the amount is the default of a free type and not a price. */
  free?: true
  priceId?: number
  unpricedBecause?: UnpricedReason
  priceCurrency?: string
}

type PriceSource = {
  book: readonly OrderedPrice[]
  currency: string
  /** That of the resource's provider, where the plan has one alone. */
  region: string | undefined
}

const nothing: Side = { amount: '0' }

function priceResource(resource: ResourceChange, source: PriceSource): PricedResource {
  const { address, type, providerName } = resource
  const { kind, before, after, afterUnknown } = resource.change
  const object = { type, providerName }
  const existed = before !== null && kind !== 'create'
  const stays = after !== null && kind !== 'delete' && kind !== 'forget'
  const old = existed ? priceSide({ ...object, values: before, unknown: false }, source) : nothing
  const planned = stays
    ? priceSide({ ...object, values: after, unknown: afterUnknown }, source)
    : nothing
  const known = old.amount !== null && planned.amount !== null
  const sides = [...(existed ? [old] : []), ...(stays ? [planned] : [])]
  if (isFreeType(type, providerName) && sides.every(({ free }) => free))
    return { address, type, before: '0', after: '0', delta: '0', priced: 'free' }
  // The side that says why there is no price, else the price to pay from now on.
  const shown = planned.amount !== null && (old.amount === null || !stays) ? old : planned
  return {
    address,
    type,
    before: old.amount,
    after: planned.amount,
    delta: known
      ? formatDecimal(parseDecimal(planned.amount ?? '0') - parseDecimal(old.amount ?? '0'))
      : null,
    priced: known ? 'price' : 'none',
    ...(shown.priceId === undefined ? {} : { priceId: shown.priceId }),
    ...(shown.unpricedBecause === undefined ? {} : { unpricedBecause: shown.unpricedBecause }),
    ...(shown.priceCurrency === undefined ? {} : { priceCurrency: shown.priceCurrency }),
  }
}

type PlannedObject = { type: string; providerName: string; values: unknown; unknown: unknown }

function priceSide(object: PlannedObject, source: PriceSource): Side {
  const region = plannedRegion(object) ?? source.region
  const match = matchPrice(source.book, { ...object, region })
  // The organization's own price takes precedence over the default of a free type.
  if (
    match.found === 'none' &&
    match.because === 'no_price' &&
    isFreeType(object.type, object.providerName)
  )
    return { amount: '0', free: true }
  if (match.found === 'none') return { amount: null, unpricedBecause: match.because }
  const { id, currency, monthlyPrice } = match.price
  if (currency !== source.currency)
    return { amount: null, unpricedBecause: 'currency_mismatch', priceCurrency: currency }
  return { amount: formatDecimal(parseDecimal(monthlyPrice)), priceId: id }
}

function groupByType(prices: readonly OrderedPrice[]): Map<string, OrderedPrice[]> {
  const groups = new Map<string, OrderedPrice[]>()
  for (const price of prices) {
    const group = groups.get(price.resourceType)
    if (group) group.push(price)
    else groups.set(price.resourceType, [price])
  }
  return groups
}

const sum = (amounts: (string | null)[]) =>
  amounts.reduce((total, amount) => total + (amount === null ? 0n : parseDecimal(amount)), 0n)

function coverageOf(rows: readonly PricedResource[]): Coverage {
  const count = (priced: PricedResource['priced']) =>
    rows.filter((row) => row.priced === priced).length
  const unpriced = count('none')
  const ratio = rows.length === 0 ? 1 : (rows.length - unpriced) / rows.length
  return {
    priced: count('price'),
    free: count('free'),
    unpriced,
    ratio: Math.floor(ratio * 10_000) / 10_000,
  }
}
