import { leastShare } from './judge-day.ts'
import type { ScoredDay } from './scored-day.ts'

/** A scored day of a total or a tag, and how much of its cost the anomalies of its services explain. */
export type ExplainedDay = ScoredDay & { explained: number }

/**
 * The days of a total or a tag, flagged for what its services leave unexplained alone. A day stays flagged if
 * its cost without what is explained is still above its band, and so above both floors: the least excess in
 * money, and 15 % of what was expected. What is explained counts as expected. The days still are what later days
 * are judged by as they were scored: this changes what is told, and not the model.
 */
export function unexplainedDays(rows: readonly ExplainedDay[], minimum: number): ScoredDay[] {
  let isGoing = false
  return rows.map(({ explained, ...row }) => {
    const { kind, run, expected, low, high } = row
    if (kind === null || run === 1) isGoing = kind === null && run > 0 && isGoing
    const isLeft = kind !== null && row.actual - explained > bandOf(row, minimum, explained)
    const day = {
      ...row,
      kind: isLeft ? kind : null,
      // The first day that is left begins the event.
      run: isLeft && !isGoing ? 1 : Math.max(run, isLeft ? 2 : 0),
      expected: expected + explained,
      low: low + explained,
      high: high + explained,
    }
    if (isLeft) isGoing = true
    return day
  })
}

/** A drift of a series with cost now and then is flagged below its band: the floors are what it is held against. */
function bandOf({ actual, expected, high }: ScoredDay, minimum: number, explained: number): number {
  if (explained === 0) return -Infinity
  return actual > high ? high : expected + Math.max(minimum, leastShare * expected)
}
