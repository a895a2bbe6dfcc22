import { dayAfter } from '../anomalies/days.ts'
import { scoreOnto, type DayAmount } from '../anomalies/score-series.ts'
import { historyDays, warmUpDays } from '../anomalies/scored-day.ts'
import { SeriesModel } from '../anomalies/series-model.ts'

export type RestOfMonth = {
  /** What the days after the last known one are expected to cost, to the month's end. 0 on its last day. */
  rest: number
  /** The 90 % interval of `rest`. */
  low: number
  high: number
  /** How many days that is. */
  days: number
}

/** 5 % of a normal distribution are beyond so many standard deviations, on either side. */
const deviations = 1.645
/** How far the level itself may be off, in scales of a day. */
const levelError = 0.6
/** Days before these change nothing. */
export const modelDays = 2 * historyDays
/** The last days, which set the level and the weekdays. Those before them change charges of a day of the month alone. */
export const levelDays = 56

/**
 * What the rest of a month will cost, by the model that finds anomalies: weekday, level and trend, and
 * charges that come on a day of the month. `days` are the complete days of one scope without holes, oldest
 * first; the forecast is for the month of the day after the last one. Null under 14 days of history.
 * The caller adds what the month cost up to then, exactly, from its own decimals.
 */
export function forecastRest(days: readonly DayAmount[]): RestOfMonth | null {
  const last = days.at(-1)
  if (!last || days.length < warmUpDays) return null
  const model = new SeriesModel([])
  // Nothing is flagged here: a month's sum follows a new level at once, whether it was told or not.
  scoreOnto(model, days.slice(-modelDays), { minimum: Infinity })

  const first = dayAfter(last.day, 1)
  const expect = model.isIntermittent ? meanOfDays(model) : model.expect.bind(model)
  let rest = 0
  let squares = 0
  let count = 0
  for (let day = first; day.slice(0, 7) === first.slice(0, 7); day = dayAfter(day, 1)) {
    const { expected, scale } = expect(day, count)
    rest += expected
    squares += scale ** 2
    count += 1
  }
  const meanScale = Math.sqrt(squares / Math.max(1, count))
  const spread = deviations * Math.sqrt(squares + (levelError * meanScale * count) ** 2)
  return { rest, low: Math.max(0, rest - spread), high: rest + spread, days: count }
}

/** Cost that comes now and then has no usual day: each day ahead costs the mean of the last eight weeks. */
function meanOfDays({ learned }: SeriesModel): () => { expected: number; scale: number } {
  const recent = learned.slice(-levelDays)
  const expected = recent.reduce((sum, value) => sum + value, 0) / recent.length
  const squares = recent.reduce((sum, value) => sum + (value - expected) ** 2, 0)
  return () => ({ expected, scale: Math.sqrt(squares / recent.length) })
}
