import { decisiveAttributes } from './decisive-attributes.ts'

/** What the bill says of the resources of one type, region and size in the newest 30 days. */
export type BilledGroup = {
  /** The name of the OpenTofu provider, as the type has it. */
  provider: string
  resourceType: string
  match: Record<string, string | number | boolean>
  region: string | null
  /** Resources with at least three full days of cost. */
  sampleSize: number
  /** The median cost of a month, as decimal text in the organization's currency. */
  monthlyPrice: string | null
  /** How far the cost of a month differs between resources and between weeks: 0.1 is 10 %. */
  spread: number | null
  /** Some of it is in a currency without a rate, and is left out. */
  lacksRate: boolean
  /** No apply has written a state with this size, so that it is not known to be true. */
  isUnconfirmed: boolean
  /** Of some of the resources, or of some of their days, none has: they are no samples. */
  hasUnconfirmed: boolean
  from: string
  to: string
}

/** Why a group has no price. */
export const unlearnedReasons = [
  'size_not_confirmed',
  'no_exchange_rate',
  'too_few_days',
  'no_cost',
  'no_stable_price',
  'too_few_resources',
] as const
export type UnlearnedReason = (typeof unlearnedReasons)[number]

/** Above this there is no one price: the type is paid by use, or by something that is not known of it. */
const maxSpread = 0.25
/** As of a price that a person enters. */
const maxPrice = 1e15
/** Resources of a type whose sizes are not known must agree, before one is a price for the next. */
const minUnsized = 3

/** Why no price can be learned of the group; undefined if its median is one. */
export function whyUnlearned(group: BilledGroup): UnlearnedReason | undefined {
  const { sampleSize, monthlyPrice, spread, lacksRate, match, resourceType } = group
  if (group.isUnconfirmed) return 'size_not_confirmed'
  if (sampleSize === 0 || monthlyPrice === null)
    return lacksRate ? 'no_exchange_rate' : 'too_few_days'
  if (Number(monthlyPrice) <= 0) return 'no_cost'
  if (spread === null || spread > maxSpread || Number(monthlyPrice) > maxPrice)
    return 'no_stable_price'
  const isSized = Object.hasOwn(decisiveAttributes, resourceType) || Object.keys(match).length > 0
  return isSized || sampleSize >= minUnsized ? undefined : 'too_few_resources'
}

/**
 * Whether a reason takes back a price that was learned before. It does not while resources of the group wait to be
 * confirmed: the upgrade leaves some so, and whoever pushes a state could otherwise make a size unpriced.
 */
export function isRefuted(because: UnlearnedReason, { hasUnconfirmed }: BilledGroup): boolean {
  return !hasUnconfirmed && refuting.has(because)
}
const refuting = new Set<UnlearnedReason>(['no_stable_price', 'no_cost', 'too_few_resources'])

/** A smaller move is noise of the bill: a new version would have waiting plans judged again. */
export function hasMoved(before: string, after: string): boolean {
  return Math.abs(Number(after) - Number(before)) > Number(before) / 100
}
