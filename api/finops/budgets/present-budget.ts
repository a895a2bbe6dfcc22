import type { BudgetWithState } from '../../../app/finops/budget-states.ts'
import { formatDecimal, parseDecimal } from '../../../domain/finops/decimal.ts'
import type { BudgetBody } from './schemas.ts'

/** A budget with its state. Amounts are the closest numbers to the exact ones. */
export function presentBudget(budget: BudgetWithState): BudgetBody {
  const { id, name, currency, scopeKind, scopeValue, overBudget, month, state } = budget
  const { actual, forecast, noForecastBecause } = budget.figures
  return {
    id,
    name,
    amountMonthly: Number(budget.amountMonthly),
    currency,
    scopeKind,
    scopeValue,
    threshold: Number(budget.threshold),
    thresholdPct: Number(formatDecimal(parseDecimal(budget.threshold) * 100n)),
    overBudget,
    state,
    month,
    actual: Number(actual),
    forecast: forecast?.amount ?? null,
    forecastLow: forecast?.low ?? null,
    forecastHigh: forecast?.high ?? null,
    noForecastBecause,
    forecastState: budget.forecastState,
    createdAt: budget.createdAt.toISOString(),
    updatedAt: budget.updatedAt.toISOString(),
  }
}
