const dayMs = 86_400_000

/** The day `count` days after `day` (`YYYY-MM-DD`, UTC); before it where `count` is negative. */
export function dayAfter(day: string, count: number): string {
  const date = Number(day.slice(8)) + count
  // Each month has these. Loops over the days of a series spent a quarter of their time in `Date`.
  if (date >= 1 && date <= 28) return `${day.slice(0, 8)}${date < 10 ? '0' : ''}${date}`
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * dayMs).toISOString().slice(0, 10)
}

/** How many days lie between two days. */
export const daysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / dayMs)

/** Days since 1970-01-01. */
export const dayNumber = (day: string): number => Date.parse(`${day}T00:00:00Z`) / dayMs

/**
 * The same day of each of the months before, as day numbers, newest first. The last day of a month answers
 * to the last day of the others; a 30th has no February, so its last day stands in.
 */
export function sameDayOfEarlierMonths(day: string, months: number): number[] {
  const year = Number(day.slice(0, 4))
  const month = Number(day.slice(5, 7)) - 1
  const date = Number(day.slice(8))
  const isLast = date === lastDateOf(year, month)
  return Array.from({ length: months }, (_, index) => {
    const last = lastDateOf(year, month - 1 - index)
    return Date.UTC(year, month - 1 - index, isLast ? last : Math.min(date, last)) / dayMs
  })
}

const lastDateOf = (year: number, month: number): number =>
  new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
