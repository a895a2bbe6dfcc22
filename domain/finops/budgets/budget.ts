import type { CostScope } from '../cost-scope.ts'

/** What a budget does to runs that would break it: nothing, or a second person must approve them. */
export const overBudgets = ['warn', 'approve'] as const

export const budgetStates = ['exceeded', 'warn', 'ok', 'unknown'] as const
export type BudgetState = (typeof budgetStates)[number]

export type Budget = CostScope & {
  id: number
  name: string
  /** Decimal text in the organization's currency. */
  amountMonthly: string
  /** Decimal text: the share of the amount at which it warns. */
  threshold: string
  overBudget: (typeof overBudgets)[number]
}

export const noForecastReasons = [
  'no_tag_key',
  'no_cost',
  'no_rate',
  'late_bill',
  'short_history',
  'pending',
] as const
export type NoForecastReason = (typeof noForecastReasons)[number]

/** What the bill says of a budget's scope in the current month. */
export type BudgetFigures = {
  /** Decimal text: the money with a rate. */
  actual: string
  /** Why the actual cost cannot be relied on. */
  unknownBecause: Exclude<NoForecastReason, 'short_history' | 'pending'> | null
  /** At the month's end. Null where it cannot be said, as with under 14 days of history. */
  forecast: { amount: number; low: number; high: number } | null
  /** Null where there is a forecast, and of a month that is over. */
  noForecastBecause: NoForecastReason | null
}
