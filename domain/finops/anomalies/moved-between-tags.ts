import { dayAfter } from './days.ts'
import { leastShare } from './judge-day.ts'
import type { ScoredDay } from './scored-day.ts'

type Days = readonly ScoredDay[]
type Judged = Pick<ScoredDay, 'actual' | 'expected'>

/**
 * What the other values of a tag's key, and the cost without one of them, clearly lost on each day: resources that
 * get another tag, or their first one, raise the cost of a tag and no bill. `total` and `tags` are of one currency;
 * answers the days of each tag in their order. A loss counts from the floors of a rise on.
 */
export function movedBetweenTags(
  { total, tags }: { total: Days; tags: readonly Days[] },
  minimum: number,
): Array<Map<string, number>> {
  const parts = [...tags.map(byDay), restOf(byDay(total), tags.map(byDay))]
  const lost = parts.map((days) => lossesOf(days, minimum))
  const sums = new Map<string, number>()
  for (const losses of lost)
    for (const [day, loss] of losses) sums.set(day, (sums.get(day) ?? 0) + loss)
  return tags.map((_, at) => {
    const own = lost[at]
    return new Map([...sums].map(([day, sum]) => [day, sum - (own?.get(day) ?? 0)]))
  })
}

const byDay = (rows: Days): Map<string, Judged> => new Map(rows.map((row) => [row.day, row]))

/** What has none of these values. */
function restOf(
  total: ReadonlyMap<string, Judged>,
  tags: ReadonlyArray<ReadonlyMap<string, Judged>>,
): Map<string, Judged> {
  return new Map(
    [...total].map(([day, { actual, expected }]) => {
      const rest = { actual, expected }
      for (const tag of tags) {
        rest.actual -= tag.get(day)?.actual ?? 0
        rest.expected -= tag.get(day)?.expected ?? 0
      }
      return [day, rest]
    }),
  )
}

/** Held against a week before too, for a lower level is soon expected, and a higher one only after a week. */
function lossesOf(days: ReadonlyMap<string, Judged>, minimum: number): Map<string, number> {
  const losses = new Map<string, number>()
  for (const [day, { actual, expected }] of days) {
    const usual = Math.max(expected, days.get(dayAfter(day, -7))?.expected ?? 0)
    if (usual - actual >= Math.max(minimum, leastShare * usual)) losses.set(day, usual - actual)
  }
  return losses
}
