import { dayAfter } from './days.ts'
import { learnedAfter } from './series-model.ts'

/** An anomaly of one service, as it explains days of a total or a tag. */
export type ServiceAnomaly = { seriesId: number; firstDay: string; lastDay: string }
export type DayExcess = { seriesId: number; day: string; excess: number }

/** A total may rise above its band before a service does, and may learn a new level after it. */
export const explainsDaysBefore = 3
export const explainsDaysAfter = learnedAfter
/** What a part of a service is expected to cost is the mean of as many same weekdays. */
const weeksBefore = 4
/** The days ahead of an anomaly that `excessOfPart` reads. */
export const partDaysBefore = explainsDaysBefore + 7 * weeksBefore

type DayCost = { day: string; amount: number }

/**
 * By how much a service costs more than expected from three days before its anomaly to seven after it. After it
 * the level that was expected on its last day counts on: what the service has learned, the total may have not.
 */
export function excessOfService(
  { seriesId, firstDay, lastDay }: ServiceAnomaly,
  days: ReadonlyArray<DayCost & { expected: number }>,
): DayExcess[] {
  const atEnd = days.find(({ day }) => day === lastDay)?.expected
  return days.flatMap(({ day, amount, expected }) => {
    if (!isNear({ firstDay, lastDay }, day)) return []
    const usual = day > lastDay ? (atEnd ?? expected) : expected
    return amount > usual ? [{ seriesId, day, excess: amount - usual }] : []
  })
}

/** The same of the part of a service that has a tag: it is not scored, so it is held against its own weekdays. */
export function excessOfPart(
  { seriesId, firstDay, lastDay }: ServiceAnomaly,
  days: readonly DayCost[],
): DayExcess[] {
  const costs = new Map(days.map(({ day, amount }) => [day, amount]))
  const until = dayAfter(firstDay, -explainsDaysBefore)
  return days.flatMap(({ day, amount }) => {
    if (!isNear({ firstDay, lastDay }, day)) return []
    let before = dayAfter(day, -7)
    while (before >= until) before = dayAfter(before, -7)
    let sum = 0
    for (let week = 0; week < weeksBefore; week += 1)
      sum += costs.get(dayAfter(before, -7 * week)) ?? 0
    const usual = sum / weeksBefore
    return amount > usual ? [{ seriesId, day, excess: amount - usual }] : []
  })
}

/** How much of each day is explained: a series that has several anomalies near a day counts once. */
export function explainedByDay(excesses: readonly DayExcess[]): Map<string, number> {
  const bySeries = new Map<string, DayExcess>()
  for (const one of excesses) {
    const key = `${one.seriesId} ${one.day}`
    if (one.excess > (bySeries.get(key)?.excess ?? 0)) bySeries.set(key, one)
  }
  const sums = new Map<string, number>()
  for (const { day, excess } of bySeries.values()) sums.set(day, (sums.get(day) ?? 0) + excess)
  return sums
}

const isNear = (
  { firstDay, lastDay }: Pick<ServiceAnomaly, 'firstDay' | 'lastDay'>,
  day: string,
): boolean =>
  day >= dayAfter(firstDay, -explainsDaysBefore) && day <= dayAfter(lastDay, explainsDaysAfter)
