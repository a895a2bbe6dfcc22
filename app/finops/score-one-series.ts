import { setImmediate } from 'node:timers/promises'
import { dayAfter } from '../../domain/finops/anomalies/days.ts'
import {
  groupAnomalies,
  joinedWithinDays,
  type FoundAnomaly,
} from '../../domain/finops/anomalies/group-anomalies.ts'
import { scoreSeries, type DayAmount } from '../../domain/finops/anomalies/score-series.ts'
import { historyDays, type ScoredDay } from '../../domain/finops/anomalies/scored-day.ts'
import type { StoredDay } from '../../store/finops/anomaly-days.ts'
import type { AnomalySeries } from '../../store/finops/anomaly-series.ts'
import { mapInTurns } from './map-in-turns.ts'
import type { SeriesToScore } from './read-series-page.ts'

export type Scored = {
  series: AnomalySeries
  minimum: number
  /** The first day that was scored anew; all days from it on are in `days`. */
  from: string
  days: StoredDay[]
  /** Anomalies that end on `since` or later; earlier ones are as they were. */
  since: string
  found: FoundAnomaly[]
}

/** About 10 ms of computing, with the days before them that the model is built of; then the event loop has its turn. */
const daysOfATurn = 100

/** Scores a series from the first day that differs from what was scored. Undefined if none does. */
export async function scoreOneSeries(one: SeriesToScore): Promise<Scored | undefined> {
  const { from, rows } = await scoreDays(one)
  if (from === undefined) return undefined
  const since = dayAfter(from, -joinedWithinDays - 1)
  return {
    series: one.series,
    minimum: one.minimum,
    from,
    days: await mapInTurns(
      rows.filter(({ day }) => day >= from),
      (row) => ({
        ...row,
        seriesId: one.series.id,
        actual: one.amounts.get(row.day) ?? '0',
        explained: 0,
      }),
    ),
    since,
    found: groupAnomalies(rows).filter(({ lastDay }) => lastDay >= since),
  }
}

/** The days of a series, those from the first difference (`from`) on scored anew. */
export async function scoreDays(
  one: SeriesToScore,
): Promise<{ from: string | undefined; rows: ScoredDay[] }> {
  const from = firstDifference(one)
  const past = await mapInTurns(
    one.scored.filter(({ day }) => from === undefined || day < from),
    asScored,
  )
  if (from === undefined) return { from, rows: past }
  const rows = [...past]
  const days: DayAmount[] = []
  for (let day = from; day <= one.through; day = dayAfter(day, 1))
    days.push({ day, amount: Number(one.amounts.get(day) ?? 0) })
  const options = { minimum: one.minimum, feedback: one.feedback }
  for (let at = 0; at < days.length; at += daysOfATurn) {
    rows.push(...scoreSeries(rows.slice(-historyDays), days.slice(at, at + daysOfATurn), options))
    await setImmediate()
  }
  return { from, rows }
}

/** The first day whose amount is another one now, that was not scored yet, or that is no longer complete. */
function firstDifference({ from, through, amounts, scored }: SeriesToScore): string | undefined {
  const known = new Map(scored.map(({ day, actual }) => [day, actual]))
  for (let day = from; day <= through; day = dayAfter(day, 1)) {
    const actual = known.get(day)
    if (actual === undefined || Number(actual) !== Number(amounts.get(day) ?? 0)) return day
  }
  const next = dayAfter(through, 1)
  return scored.some(({ day }) => day >= next) ? next : undefined
}

const asScored = ({ seriesId: _, explained: __, actual, ...row }: StoredDay): ScoredDay => ({
  ...row,
  actual: Number(actual),
})
