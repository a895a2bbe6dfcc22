import { readPath } from '../infrastructure/attribute-path.ts'
import { own } from '../infrastructure/record.ts'
import { parseDecimal } from './decimal.ts'

/** An entry of the organization's price book. */
export type Price = {
  id: number
  /** `aws`, `hashicorp/aws` or the whole address of the provider. */
  provider: string
  resourceType: string
  /** Attribute path → value, all of which must hold: `{ "instance_type": "t3.micro" }`. */
  match: Readonly<Record<string, unknown>>
  /** Decimal text; never a float. */
  monthlyPrice: string
  currency: string
  /** `bill`: learned from the organization's own bill. `list`: the provider's list. Others are a person's. */
  source: string
  /** A learned price holds in this region alone; null is every region. */
  region?: string | null
  /** A day (`2026-11-01`, from 00:00 UTC) or a time. */
  validFrom: string
}

export type PricedObject = {
  type: string
  providerName: string
  values: unknown
  /** The shape of `values`, with `true` where a value is only known after apply. */
  unknown: unknown
  /** Where it is, as a bill writes it; undefined if the plan does not say. */
  region?: string | undefined
}

/** A price in the order of precedence. */
export type OrderedPrice = Price & {
  /** Equal for entries of which the later one never wins. */
  condition: string
  /** Another region has a price of the same attributes. */
  differsByRegion: boolean
}

export type PriceMatch =
  | { found: 'price'; price: Price }
  | { found: 'none'; because: 'no_price' | 'unknown_attributes' }

/**
 * A person's entry before the bill's, and that before the list's; of each the most specific one, among
 * equals the newest, then the highest id. If an attribute is only known after apply, several entries could
 * match: the object has a price only if they all agree.
 */
export function matchPrice(book: readonly OrderedPrice[], object: PricedObject): PriceMatch {
  const open: Price[] = []
  const seen = new Set<string>()
  for (const price of book) {
    if (!isFor(price, object)) continue
    const verdict = verdictOf(price, object)
    if (verdict === 'no') continue
    if (verdict === 'yes') {
      if (open.every((other) => sameMoney(other, price))) return { found: 'price', price }
      return { found: 'none', because: 'unknown_attributes' }
    }
    // An older entry with the same condition never wins: whenever it matches, the newer one does too.
    if (!seen.has(price.condition)) open.push(price)
    seen.add(price.condition)
  }
  return { found: 'none', because: open.length > 0 ? 'unknown_attributes' : 'no_price' }
}

const startOf = ({ id, validFrom }: Pick<Price, 'id' | 'validFrom'>): number => {
  const start = Date.parse(validFrom)
  if (Number.isNaN(start)) throw new RangeError(`price ${id} has no valid start`)
  return start
}

/** Whether an entry counts at that time: its first day begins at 00:00 UTC. */
export const isInForce = (price: Pick<Price, 'id' | 'validFrom'>, at: Date): boolean =>
  startOf(price) <= at.getTime()

/** The entries in force at that time, by precedence. */
export function orderPrices(prices: readonly Price[], at: Date): OrderedPrice[] {
  const specificity = (price: Price) => Object.keys(price.match).length
  const inForce = prices
    .filter((price) => isInForce(price, at))
    .toSorted(
      (a, b) =>
        rankOf(a) - rankOf(b) ||
        specificity(b) - specificity(a) ||
        startOf(b) - startOf(a) ||
        b.id - a.id,
    )
  const regions = new Map<string, Set<string>>()
  const sized = inForce.map((price) => {
    const { provider, resourceType, match, region } = price
    const sizes = JSON.stringify([provider, resourceType, Object.entries(match).toSorted(byKey)])
    if (region) regions.set(sizes, (regions.get(sizes) ?? new Set()).add(region))
    return { price, sizes }
  })
  return sized.map(({ price, sizes }) => ({
    ...price,
    condition: `${sizes}${price.region ?? ''}`,
    differsByRegion: (regions.get(sizes)?.size ?? 0) > 1,
  }))
}

const rankOf = ({ source }: Price): number => (source === 'bill' ? 1 : source === 'list' ? 2 : 0)

type Verdict = 'yes' | 'no' | 'unknown'

/** Google's `google-beta` has the resources of `google`, with the same types and prices. */
function isFor({ provider, resourceType }: Price, { type, providerName }: PricedObject): boolean {
  const isNamedBy = (name: string) => name === provider || name.endsWith(`/${provider}`)
  return (
    resourceType === type &&
    (isNamedBy(providerName) || isNamedBy(providerName.replace(/-beta$/, '')))
  )
}

function verdictOf(price: OrderedPrice, object: PricedObject): Verdict {
  let verdict: Verdict = 'yes'
  if (price.region && object.region === undefined) {
    // The only region that is paid for is taken to be the one that is meant.
    if (price.differsByRegion) verdict = 'unknown'
  } else if (price.region && price.region !== object.region) return 'no'
  for (const [path, expected] of Object.entries(price.match)) {
    const actual = lookUp(path, object)
    if (actual.unknown) verdict = 'unknown'
    else if (!equals(actual.value, expected)) return 'no'
  }
  return verdict
}

function lookUp(path: string, object: PricedObject): { value?: unknown; unknown: boolean } {
  let { values, unknown } = object
  for (const step of readPath(path) ?? [path]) {
    if (unknown === true) return { unknown: true }
    values = own(values, step)
    unknown = own(unknown, step)
  }
  // A mark below this point means that part of a list or object is unknown, so it matches nothing.
  return unknown === true ? { unknown: true } : { value: values, unknown: false }
}

/** Compares as OpenTofu converts: `"8"` equals 8. */
function equals(actual: unknown, expected: unknown): boolean {
  if (expected === null || expected === undefined) return actual === null || actual === undefined
  return isScalar(actual) && isScalar(expected) && String(actual) === String(expected)
}

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

const sameMoney = (a: Price, b: Price) =>
  a.currency === b.currency && parseDecimal(a.monthlyPrice) === parseDecimal(b.monthlyPrice)

const byKey = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1)
