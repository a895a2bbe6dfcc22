import { dayAfter } from '../../domain/finops/anomalies/days.ts'
import { forecastRest } from '../../domain/finops/forecast/forecast-month.ts'
import type { LabelledSeries } from './generate-series.ts'

/** Only every third series, for a forecast replays half a year. */
const everyNth = 3

/**
 * How far the forecast of the tenth day is from what the month came to, for whole months. Months in which
 * an event begins after the tenth are left out: nothing could foresee it.
 */
export function forecastErrors(all: readonly LabelledSeries[]) {
  const errors: number[] = []
  let inside = 0
  for (const series of all.filter((_, index) => index % everyNth === 0))
    for (const { forecast, low, high, actual } of forecastsOf(series)) {
      errors.push(Math.abs(forecast - actual) / actual)
      if (low <= actual && actual <= high) inside += 1
    }
  const mape = errors.reduce((sum, error) => sum + error, 0) / errors.length
  return { mape, inside: inside / errors.length, count: errors.length }
}

function forecastsOf({ firstDay, amounts, scoredFrom, events }: LabelledSeries) {
  const days = amounts
    .slice(0, -1)
    .map((amount, index) => ({ day: dayAfter(firstDay, index), amount }))
  return days.flatMap(({ day }, index) => {
    if (index < scoredFrom || !day.endsWith('-10')) return []
    const rest = forecastRest(days.slice(0, index + 1))
    const end = index + (rest?.days ?? 0)
    if (!rest || end >= days.length || events.some(({ start }) => start > index && start <= end))
      return []
    const sum = (from: number, to: number) =>
      days.slice(from, to + 1).reduce((total, { amount }) => total + amount, 0)
    const known = sum(index - 9, index)
    const actual = known + sum(index + 1, end)
    if (actual <= 0) return []
    return [{ forecast: known + rest.rest, low: known + rest.low, high: known + rest.high, actual }]
  })
}
