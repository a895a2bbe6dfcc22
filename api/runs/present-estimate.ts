import type { Static } from 'typebox'
import { ratioOf } from '../../domain/finops/estimates/judge-estimate.ts'
import { isRecord, own } from '../../domain/infrastructure/record.ts'
import type { StoredCheck } from '../../store/finops/estimate-checks.ts'
import type { RunDetail } from './schemas.ts'

/** What the plan said that it changes of the monthly cost, beside what the bill says. `cost` is that of the run. */
export function presentEstimate(
  cost: unknown,
  checks: readonly StoredCheck[],
): Static<typeof RunDetail>['estimate'] {
  const [delta, currency] = [own(cost, 'delta'), own(cost, 'currency')]
  const coverage = own(own(cost, 'coverage'), 'ratio')
  if (!isRecord(cost) || typeof delta !== 'number' || typeof currency !== 'string') return null
  return {
    predictedMonthly: delta,
    coverage: typeof coverage === 'number' ? coverage : 0,
    currency,
    checks: checks.map((check) => ({
      afterDays: check.afterDays,
      at: check.day,
      currency: check.currency,
      predicted: check.predicted,
      billed: check.billed,
      ratio: ratioOf(check),
      coverage: check.coverage,
      resources: check.resources,
    })),
  }
}
