import type { Coverage, PricedPlan } from './price-resources.ts'

/** The cost as a run shows it and as policies get it in `input.cost`: amounts as numbers. */
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
