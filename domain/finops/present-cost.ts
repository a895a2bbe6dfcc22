import type { Coverage, PricedPlan } from './price-resources.ts'

/** What a run shows, and a policy gets as `input.cost`: amounts as numbers (decisions §1). */
export function presentCost(priced: PricedPlan): PresentedCost {
  const { before, after, delta, currency, coverage } = priced
  return {
    before: Number(before),
    after: Number(after),
    delta: Number(delta),
    currency,
    coverage,
  }
}

export type PresentedCost = {
  before: number
  after: number
  delta: number
  currency: string
  coverage: Coverage
}
