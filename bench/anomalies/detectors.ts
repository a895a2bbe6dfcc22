import { scoreSeries } from '../../domain/finops/anomalies/score-series.ts'
import { historyDays, type ScoredDay } from '../../domain/finops/anomalies/scored-day.ts'
import { groupAnomalies } from '../../domain/finops/anomalies/group-anomalies.ts'
import { dayAfter, daysBetween } from '../../domain/finops/anomalies/days.ts'
import type { LabelledSeries } from './generate-series.ts'
import { nycTaxi } from './nyc-taxi.ts'

/** Whether each day of a series is flagged. The partial last day is no part of what a detector is given. */
export type Detector = (series: LabelledSeries) => boolean[]

/** The least excess that any detector tells of, in money and as a share: one guard for all. */
export const guard = { minimum: 5, share: 0.15 }

/**
 * The service's detector as the service uses it: each day once, from what is stored, and a late day anew
 * when the rest of its cost arrives. A day that was flagged when it was first seen was told then.
 */
export const ownDetector: Detector = ({ firstDay, amounts, firstSeen }) => {
  const rows: ScoredDay[] = []
  const flags: boolean[] = amounts.slice(0, -1).map(() => false)
  const complete = amounts
    .slice(0, -1)
    .map((amount, index) => ({ day: dayAfter(firstDay, index), amount }))
  const options = { minimum: guard.minimum }
  let from = 0
  for (const [index, seen] of [...firstSeen].toSorted(([a], [b]) => a - b)) {
    rows.push(...scoreSeries(rows.slice(-historyDays), complete.slice(from, index), options))
    const day = complete[index]?.day ?? ''
    const [early] = scoreSeries(rows.slice(-historyDays), [{ day, amount: seen }], options)
    flags[index] = early?.kind !== null
    from = index
  }
  rows.push(...scoreSeries(rows.slice(-historyDays), complete.slice(from), options))
  for (const { firstDay: first, lastDay } of groupAnomalies(rows))
    flags.fill(true, daysBetween(firstDay, first), daysBetween(firstDay, lastDay) + 1)
  return flags
}

/**
 * Real data that nobody here made. Its events are mostly drops of the sum, which a detector of rises must
 * not tell; the marathon and New Year's night are rises.
 */
export function taxiAlarms(): string {
  const { firstDay, amounts, windows } = nycTaxi
  const days = amounts.map((amount, index) => ({ day: dayAfter(firstDay, index), amount }))
  const turned = Math.max(...amounts) * 1.2
  const show = (name: string, shown: typeof days) => {
    const alarms = groupAnomalies(scoreSeries([], shown, { minimum: guard.minimum }))
    const found = windows.filter((window) =>
      alarms.some((alarm) => alarm.firstDay <= window.lastDay && alarm.lastDay >= window.firstDay),
    )
    const outside = alarms.filter((alarm) =>
      windows.every((window) => alarm.firstDay > window.lastDay || alarm.lastDay < window.firstDay),
    )
    const names = found.map((window) => window.name).join(', ') || 'none'
    return `${name}: ${found.length} of ${windows.length} windows (${names}), ${outside.length} other alarms`
  }
  const drops = days.map(({ day, amount }) => ({ day, amount: turned - amount }))
  return `NYC taxi by day (NAB): ${show('rises', days)}; ${show('turned over, so that drops are rises', drops)}.`
}
