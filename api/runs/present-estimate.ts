import type { Static } from 'typebox'
import { ratioOf } from '../../domain/finops/estimates/judge-estimate.ts'
import type { PlanEstimate } from '../../domain/finops/estimates/plan-estimate.ts'
import { isRecord, own } from '../../domain/infrastructure/record.ts'
import type { StoredCheck } from '../../store/finops/estimate-checks.ts'
import type { RunDetail } from './run-detail-schema.ts'

/** What the plan said that it changes of the monthly cost, beside what the bill says. `cost` is that of the run. */
export function presentEstimate(
  cost: unknown,
  { checks, estimate, cover = (text) => text }: Known,
): Static<typeof RunDetail>['estimate'] {
  const [delta, currency] = [own(cost, 'delta'), own(cost, 'currency')]
  const coverage = own(own(cost, 'coverage'), 'ratio')
  if (!isRecord(cost) || typeof delta !== 'number' || typeof currency !== 'string') return null
  return {
    predictedMonthly: delta,
    coverage: typeof coverage === 'number' ? coverage : 0,
    currency,
    resources: (estimate?.resources ?? [])
      .slice(0, maxResources)
      .map(({ address, side, delta }) => ({
        address: cover(address),
        side,
        delta: Number(delta),
      })),
    others: (estimate?.others ?? 0) + Math.max(0, (estimate?.resources.length ?? 0) - maxResources),
    checks: checks.map((check) => ({
      afterDays: check.afterDays,
      at: check.day,
      currency: check.currency,
      predicted: check.predicted,
      billed: check.billed,
      ratio: ratioOf(check),
      coverage: check.coverage,
      resources: check.resources.map((one) => ({ ...one, address: cover(one.address) })),
    })),
  }
}

/** Those with the greatest changes come first. */
const maxResources = 200

type Known = {
  checks: readonly StoredCheck[]
  /** Of a plan that kept one. */
  estimate: PlanEstimate | null | undefined
  /** Masks values that became sensitive since. */
  cover: ((text: string) => string) | undefined
}
