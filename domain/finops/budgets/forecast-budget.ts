import { forecastRest, levelDays } from '../forecast/forecast-month.ts'
import { dayAfter } from '../anomalies/days.ts'
import { warmUpDays } from '../anomalies/scored-day.ts'
import type { BudgetFigures } from './budget.ts'

export type ForecastInput = {
  /** Days with cost, oldest first. */
  days: ReadonlyArray<{ day: string; amount: number }>
  /** The last day whose cost is all there. */
  completeThrough: string
  /** `YYYY-MM-DD`, UTC. */
  today: string
  /** Of the month up to now, with days that are not complete. */
  actual: number
}

/**
 * What the current month will cost at its end: its complete days as billed, and the days after them by the
 * model that finds anomalies. Null under 14 complete days of history.
 */
export function forecastBudget({
  days,
  completeThrough,
  today,
  actual,
}: ForecastInput): BudgetFigures['forecast'] {
  const last = completeThrough < today ? completeThrough : today
  const series = withoutHoles(days, last)
  if (series.length < warmUpDays) return null
  // A bill of last month may still grow in its last days: until then they cost what they did a week before.
  const month = today.slice(0, 7)
  while ((series.at(-1)?.day ?? month) < dayAfter(`${month}-01`, -1))
    series.push({
      day: dayAfter(series.at(-1)?.day ?? last, 1),
      amount: series.at(-7)?.amount ?? 0,
    })
  const complete = series
    .filter(({ day }) => day.startsWith(month))
    .reduce((sum, { amount }) => sum + amount, 0)
  const isOver = dayAfter(last, 1).slice(0, 7) > month
  const rest = isOver ? { rest: 0, low: 0, high: 0 } : forecastRest(series)
  if (!rest) return null
  // Never below what is billed already.
  const atEnd = (more: number) => Math.max(actual, complete + more)
  return { amount: atEnd(rest.rest), low: atEnd(rest.low), high: atEnd(rest.high) }
}

/**
 * Whether money without an exchange rate hides a part of the level that a forecast would start from. `unratedThrough`
 * is the last day with such money. Before the days that set the level it changes little: one old line would
 * otherwise leave its scope without a forecast for most of a year.
 */
export function isLevelUnrated(
  unratedThrough: string | null,
  { completeThrough, today }: Pick<ForecastInput, 'completeThrough' | 'today'>,
): boolean {
  const last = completeThrough < today ? completeThrough : today
  return unratedThrough !== null && unratedThrough > dayAfter(last, -levelDays)
}

/** Each day from the first one with cost to `last`. */
function withoutHoles(days: ForecastInput['days'], last: string) {
  const amounts = new Map(days.map(({ day, amount }) => [day, amount]))
  const first = days[0]?.day
  const series: Array<{ day: string; amount: number }> = []
  if (first === undefined) return series
  for (let day = first; day <= last; day = dayAfter(day, 1))
    series.push({ day, amount: amounts.get(day) ?? 0 })
  return series
}
