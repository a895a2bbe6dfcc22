import { hash } from 'node:crypto'
import type { BudgetFigures } from '../../domain/finops/budgets/budget.ts'
import { forecastBudget, isLevelUnrated } from '../../domain/finops/budgets/forecast-budget.ts'
import type { BudgetCosts, CostOfDay } from '../../store/finops/budgets/budget-costs.ts'
import type { StoredBudget } from '../../store/finops/budgets/budgets.ts'

type Scope = Pick<StoredBudget, 'scopeKind' | 'scopeValue'>
type At = { scope: Scope; tagKey: string | null; today: string }

/** The figures of a scope, with the forecast where the cost has the days that it needs. */
export function figuresOf(cost: BudgetCosts, at: At): BudgetFigures {
  const { actual, completeThrough } = cost
  const known = figuresWithoutForecast(cost, at)
  if (known.noForecastBecause !== null || completeThrough === null) return known
  // Written by budget-costs.ts, in this shape.
  const days = JSON.parse(cost.days ?? '[]') as CostOfDay[]
  const { today } = at
  const forecast = forecastBudget({ days, completeThrough, today, actual: Number(actual) })
  return { ...known, forecast, noForecastBecause: forecast === null ? 'short_history' : null }
}

/** The same with the forecast of figures of the scope and month from before, which may have none. */
export function figuresWithForecastBefore(
  cost: BudgetCosts,
  before: BudgetFigures | undefined,
  at: At,
): BudgetFigures {
  const known = figuresWithoutForecast(cost, at)
  if (known.noForecastBecause !== null) return known
  if (!before?.forecast) return { ...known, noForecastBecause: 'pending' }
  const { amount, low, high } = before.forecast
  // Never below what is billed already.
  const atLeast = (value: number) => Math.max(Number(cost.actual), value)
  return {
    ...known,
    forecast: { amount: atLeast(amount), low: atLeast(low), high: atLeast(high) },
  }
}

/** Says why there can be no forecast. One from a bill that stopped would say nothing of this month. */
function figuresWithoutForecast(cost: BudgetCosts, { scope, tagKey, today }: At): BudgetFigures {
  const { actual, completeThrough, unratedThrough } = cost
  const unknown = unknownBecause(cost, { scope, tagKey })
  const figures = { actual, unknownBecause: unknown, forecast: null }
  if (unknown !== null || completeThrough === null)
    return { ...figures, noForecastBecause: unknown ?? 'late_bill' }
  const isUnrated = isLevelUnrated(unratedThrough, { completeThrough, today })
  return { ...figures, noForecastBecause: isUnrated ? 'no_rate' : null }
}

function unknownBecause(
  { hasCost, isUnrated, isLate }: BudgetCosts,
  { scope, tagKey }: { scope: Scope; tagKey: string | null },
): BudgetFigures['unknownBecause'] {
  if (scope.scopeKind === 'tag' && scope.scopeValue === 'untagged' && tagKey === null)
    return 'no_tag_key'
  if (!hasCost) return 'no_cost'
  if (isUnrated) return 'no_rate'
  return isLate ? 'late_bill' : null
}

/** Raise it when figures are computed otherwise: those that were kept before are then computed anew. */
const figuresVersion = 3

/** Of the two parts of a basis. */
const partLength = 32

/**
 * Names all that the figures of a scope are computed from: the first part is the scope and month in a currency, the
 * second the cost and the day.
 */
export function basisOf(
  { scopeKind, scopeValue }: Scope,
  {
    moment,
    currency,
    tagKey,
    today,
  }: { moment: string; currency: string; tagKey: string | null; today: string },
): string {
  const month = today.slice(0, 7)
  const scope = partOf(figuresVersion, currency, tagKey, month, scopeKind, scopeValue)
  return scope + partOf(moment, today)
}

const partOf = (...values: readonly unknown[]): string =>
  hash('sha256', JSON.stringify(values)).slice(0, partLength)

/** The part that names scope, month and currency. */
export const scopePartOf = (basis: string): string => basis.slice(0, partLength)
