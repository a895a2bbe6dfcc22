import { daysBetween } from './days.ts'
import type { AnomalyKind, ScoredDay } from './scored-day.ts'

export type FoundAnomaly = {
  kind: AnomalyKind
  firstDay: string
  lastDay: string
  /** The day with the greatest excess, and what stands there. */
  day: string
  expected: number
  actual: number
  low: number
  high: number
  /** The excess over what was expected, of all flagged days. */
  impact: number
}

/** Two flagged days with at most so many days between them are one event: a weekend interrupts none. */
export const joinedWithinDays = 3

/** The flagged days of a series, as events: days of one run, and those close to each other. */
export function groupAnomalies(rows: readonly ScoredDay[]): FoundAnomaly[] {
  const anomalies: FoundAnomaly[] = []
  for (const row of rows) {
    if (!row.kind) continue
    const excess = row.actual - row.expected
    const open = anomalies.at(-1)
    if (!open || (row.run === 1 && daysBetween(open.lastDay, row.day) > joinedWithinDays + 1)) {
      anomalies.push(startOf(row, row.kind, excess))
      continue
    }
    open.lastDay = row.day
    open.impact += excess
    if (excess > open.actual - open.expected) Object.assign(open, dayOf(row))
  }
  return anomalies
}

const startOf = (row: ScoredDay, kind: AnomalyKind, impact: number): FoundAnomaly => ({
  kind,
  firstDay: row.day,
  lastDay: row.day,
  ...dayOf(row),
  impact,
})

const dayOf = ({ day, expected, actual, low, high }: ScoredDay) => ({
  day,
  expected,
  actual,
  low,
  high,
})
