import { monthWords } from './cost-words.ts'

type Bill = { day: string; month: string; from: string; to: string }
type Period = { from: string; to: string }

/** The newest day of all bills, and the days of its month. Undefined if the period has this day, or no bill has one. */
export function newestBill(
  sources: ReadonlyArray<{ completeThrough: string | null }>,
  period: Period,
): Bill | undefined {
  const days = sources.map(({ completeThrough }) => completeThrough).filter((day) => day !== null)
  const day = days.toSorted().at(-1)
  if (day === undefined || (day >= period.from && day <= period.to)) return undefined
  const month = day.slice(0, 7)
  const [year = 0, ordinal = 0] = month.split('-').map(Number)
  // Day 0 of the next month.
  const to = new Date(Date.UTC(year, ordinal, 0)).toISOString().slice(0, 10)
  return { day, month: monthWords(month), from: `${month}-01`, to }
}
