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
  /** A day (`2026-11-01`, from 00:00 UTC) or a time. */
  validFrom: string
}

export type PricedObject = {
  type: string
  providerName: string
  values: unknown
  /** The shape of `values`, with `true` where a value is only known after apply. */
  unknown: unknown
}

export type PriceMatch =
  | { found: 'price'; price: Price }
  | { found: 'none'; because: 'no_price' | 'unknown_attributes' }

/**
 * The most specific matching entry; among equals the newest, then the highest id. If an attribute is
 * only known after apply, several entries could match: the object has a price only if they all agree.
 */
export function matchPrice(book: readonly Price[], object: PricedObject): PriceMatch {
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
    const condition = JSON.stringify(Object.entries(price.match).toSorted(byKey))
    if (!seen.has(condition)) open.push(price)
    seen.add(condition)
  }
  return { found: 'none', because: open.length > 0 ? 'unknown_attributes' : 'no_price' }
}

/** The entries in force at that time, by precedence. */
export function orderPrices(prices: readonly Price[], at: Date): Price[] {
  const startOf = (price: Price) => {
    const start = Date.parse(price.validFrom)
    if (Number.isNaN(start)) throw new RangeError(`price ${price.id} has no valid start`)
    return start
  }
  const specificity = (price: Price) => Object.keys(price.match).length
  return prices
    .filter((price) => startOf(price) <= at.getTime())
    .toSorted((a, b) => specificity(b) - specificity(a) || startOf(b) - startOf(a) || b.id - a.id)
}

type Verdict = 'yes' | 'no' | 'unknown'

function isFor(price: Price, { type, providerName }: PricedObject): boolean {
  return (
    price.resourceType === type &&
    (providerName === price.provider || providerName.endsWith(`/${price.provider}`))
  )
}

function verdictOf(price: Price, object: PricedObject): Verdict {
  let verdict: Verdict = 'yes'
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
