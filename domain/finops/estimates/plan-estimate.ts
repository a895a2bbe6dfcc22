import { parsePlan, type ChangeKind } from '../../infrastructure/parse-plan.ts'
import { parseDecimal } from '../decimal.ts'
import type { PricedPlan } from '../price-resources.ts'

/** What a plan says that it changes of the monthly cost, by resource: to be held against the bill. */
export type PlanEstimate = {
  /** Those with the greatest changes. */
  resources: EstimatedResource[]
  /** Further changed resources, without a price or beyond the number that is kept. */
  others: number
}

export type EstimatedResource = {
  address: string
  /** Where a moved resource was before. */
  previous?: string
  side: 'created' | 'changed' | 'deleted'
  /** Decimal text a month. */
  delta: string
}

const maxResources = 1_000
/** Of all addresses: a part of what a runner may answer. */
const maxLength = 100_000

/**
 * The changes that the bill will show. Not those of free resources, and not of what OpenTofu only forgets,
 * which goes on to cost what it costs.
 */
export function planEstimate(
  planJson: unknown,
  priced: PricedPlan,
  mask: (text: string) => string,
): PlanEstimate {
  // In the order of the priced resources (price-resources.ts).
  const changes = parsePlan(planJson).resourceChanges.filter(({ mode }) => mode === 'managed')
  const changed = changes.flatMap((resource, at) => {
    const side = resource.deposed === undefined ? sides[resource.change.kind] : undefined
    const price = priced.resources[at]
    if (side === undefined || !price || price.priced === 'free') return []
    if (price.delta !== null && parseDecimal(price.delta) === 0n) return []
    const { address, previousAddress } = resource
    return [{ address, previousAddress, side, delta: price.delta }]
  })
  const known = changed
    .flatMap(({ delta, ...rest }) => (delta === null ? [] : [{ ...rest, delta }]))
    .toSorted((a, b) => Math.abs(Number(b.delta)) - Math.abs(Number(a.delta)))
  const resources: EstimatedResource[] = []
  let left = maxLength
  for (const { address, previousAddress, ...rest } of known) {
    const previous = previousAddress === undefined ? {} : { previous: mask(previousAddress) }
    const resource = { address: mask(address), ...previous, ...rest }
    left -= resource.address.length + (previous.previous?.length ?? 0)
    if (left < 0 || resources.length === maxResources) break
    resources.push(resource)
  }
  return { resources, others: changed.length - resources.length }
}

const sides: Partial<Record<ChangeKind, EstimatedResource['side']>> = {
  create: 'created',
  update: 'changed',
  replace: 'changed',
  delete: 'deleted',
  'forget-create': 'created',
}
