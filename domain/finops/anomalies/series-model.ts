import { dayNumber, sameDayOfEarlierMonths } from './days.ts'
import { median, quantile } from './robust.ts'
import { historyDays, type ScoredDay } from './scored-day.ts'
import { weekdayRatios } from './weekday-ratios.ts'

export type Expectation = {
  expected: number
  /** `expected`, or the level before a dip that the series may be coming back from. */
  base: number
  /** The most that is usual on this day: `base`, or what the same day of the week or of other months cost. */
  usual: number
  /** What the highest of the last six weeks came to, but for three days: bursts that return. */
  bursts: number
  scale: number
  /** The weekday's share of a day of its week. */
  share: number
  weekly: number
  monthly: number | null
}

/** Days whose rise a person called expected. */
export type DayRange = { firstDay: string; lastDay: string }

/** After so many flagged days in a row the new level counts as usual. */
export const learnedAfter = 7
const halfMonth = 15
const lowestScale = 0.04

/**
 * What a series is expected to cost on its next day, from the days before it alone. A flagged day counts
 * in later expectations as the upper end of what was usual, until the run is so long that it is learned.
 */
export class SeriesModel {
  readonly rows: ScoredDay[] = []
  /** What each day counts as in later expectations. */
  readonly learned: number[] = []
  /** The day beside the month around it, without its weekday's share; NaN while half a month lacks. */
  readonly #inMonth: number[] = []
  /** Where each day was thought to stand in its month, by the months before; null: too little history. */
  readonly #places: (number | null)[] = []
  readonly #expected: readonly DayRange[]
  /** Of the day that was expected last: `push` of that day needs the same. */
  #past: { day: string; months: MonthAgo[] } | undefined

  constructor(expected: readonly DayRange[]) {
    this.#expected = expected
  }

  push(row: ScoredDay): void {
    const isExpected = this.#expected.some((range) => within(range, row.day))
    const bounded =
      row.kind && !isExpected ? Math.min(row.actual, row.expected + 2 * row.scale) : row.actual
    const months = this.#past?.day === row.day ? this.#past.months : this.#earlierMonths(row.day)
    this.#past = undefined
    this.#places.push(placeOf(months))
    this.rows.push(row)
    this.learned.push(Math.max(0, bounded))
    this.#inMonth.push(Number.NaN)
    if (row.isLearned) this.#learnRun()
    if (this.rows.length > historyDays)
      for (const list of [this.rows, this.learned, this.#inMonth, this.#places]) list.shift()
    this.#placeInMonth()
  }

  #learnRun(): void {
    for (let i = this.rows.length - 1; i >= 0 && (this.rows[i]?.run ?? 0) > 0; i--)
      this.learned[i] = Math.max(0, this.rows[i]?.actual ?? 0)
  }

  /** Places the day of half a month ago, which now has a month around it. */
  #placeInMonth(): void {
    const at = this.rows.length - 1 - halfMonth
    const row = this.rows[at]
    if (!row || this.rows.length < 28) return
    const around: number[] = []
    for (let i = Math.max(0, at - halfMonth); i < this.rows.length; i++)
      around.push((this.learned[i] ?? 0) / (this.rows[i]?.share ?? 1))
    const middle = median(around)
    // A flag of a day or two leaves the day as it was: a charge that returns each month is known by it.
    const isShort = row.kind !== null && this.#runLength(at) <= 2
    const value = isShort ? Math.max(0, row.actual) : (this.learned[at] ?? 0)
    this.#inMonth[at] = middle > 0 ? value / row.share / middle : 1
  }

  #runLength(at: number): number {
    let end = at
    while ((this.rows[end + 1]?.run ?? 0) > 0) end++
    return this.rows[end]?.run ?? 0
  }

  /** Whether under 60 % of the last 28 days have cost. */
  get isIntermittent(): boolean {
    const recent = this.learned.slice(-28)
    return recent.filter((value) => value > 0).length < 0.6 * recent.length
  }

  /** What to expect `ahead` days after the last one (0: the next day), of `day`. */
  expect(day: string, ahead = 0): Expectation {
    const count = this.rows.length
    const ratios = weekdayRatios(this.learned)
    const share = ratios[ahead % 7] ?? 1
    const flat = new Float64Array(Math.min(42, count))
    for (let i = 1; i <= flat.length; i++)
      flat[flat.length - i] = (this.learned[count - i] ?? 0) / (ratios[(42 - i) % 7] ?? 1)
    const level = levelOf(flat, ahead)
    const weekly = level * share
    const past = this.#earlierMonths(day)
    this.#past = { day, months: past }
    const monthly = this.#monthly(past, { flat, share })
    const noise = this.#relativeScale()

    let expected = weekly
    if (monthly !== null && this.#monthlyIsBetter()) expected = monthly
    else expected = Math.max(0, weekly + level * chargeOf(past, noise))
    const plateau = median(flat, Math.max(0, flat.length - 28)) * share
    const base = weekly < 0.85 * plateau ? Math.max(expected, plateau) : expected
    const scale = noise * Math.max(expected, weekly)
    let usual = Math.max(base, weekly + level * envelopeOf(past))
    // A new component changes the shares of weekdays; last week has it, the median of eight weeks not yet.
    const lastWeek = this.learned[count - 7 + (ahead % 7)] ?? 0
    if (lastWeek > weekly + 3 * scale) usual = Math.max(usual, lastWeek)
    return {
      expected,
      base,
      usual,
      bursts: this.#bursts(ratios) * share,
      scale: Math.max(scale, 0.1 * (usual - weekly)),
      share,
      weekly,
      monthly,
    }
  }

  /** The fourth highest of six weeks without the run that is under way. A spike of three days hides none. */
  #bursts(ratios: readonly number[]): number {
    const count = this.rows.length
    const top = [0, 0, 0, 0]
    for (let i = (this.rows[count - 1]?.run ?? 0) + 1; i <= Math.min(42, count); i++) {
      let value = (this.rows[count - i]?.actual ?? 0) / (ratios[(28 * 7 - i) % 7] ?? 1)
      for (let at = 0; at < 4; at++) {
        const held = top[at] ?? 0
        if (value <= held) continue
        top[at] = value
        value = held
      }
    }
    return top[3] ?? 0
  }

  /** Of each earlier month: how the same day stood in it, and the highest of that day and its neighbours. */
  #earlierMonths(day: string): MonthAgo[] {
    const count = this.rows.length
    const last = this.rows[count - 1]
    if (!last) return []
    const months: MonthAgo[] = []
    const lastDay = dayNumber(last.day)
    for (const days of sameDayOfEarlierMonths(day, 3)) {
      const at = count - 1 - (lastDay - days)
      const exact = this.#inMonth[at]
      if (exact === undefined || Number.isNaN(exact)) break
      const extras = [at - 1, at, at + 1].map((index) => this.#extraOf(index))
      months.push({ exact, extra: extras[1] ?? 0, highest: Math.max(...extras) })
    }
    return months
  }

  /** What a day cost beside a usual one of its weekday, in levels of its month. */
  #extraOf(at: number): number {
    const place = this.#inMonth[at]
    return place === undefined || Number.isNaN(place)
      ? 0
      : (place - 1) * (this.rows[at]?.share ?? 1)
  }

  /** The level of the last days without their place in the month, times the place of the next day. */
  #monthly(
    past: readonly MonthAgo[],
    { flat, share }: { flat: Float64Array; share: number },
  ): number | null {
    if (past.length < 2) return null
    const place = median(past.map(({ exact }) => exact))
    const days: number[] = []
    const count = this.rows.length
    for (let i = 1; i <= 10; i++) {
      const own = this.#places[count - i]
      if (own) days.push((flat[flat.length - i] ?? 0) / Math.max(0.05, own))
    }
    return days.length < 5 ? null : median(days) * place * share
  }

  #monthlyIsBetter(): boolean {
    let byWeek = 0
    let byMonth = 0
    let days = 0
    for (const { actual, weekly, monthly, kind } of this.rows.slice(-35)) {
      if (monthly === null || kind) continue
      byWeek += Math.abs(actual - weekly)
      byMonth += Math.abs(actual - monthly)
      days += 1
    }
    return days >= 20 && byMonth < 0.8 * byWeek
  }

  /** How far days were from what was expected of them, as a share of that. */
  #relativeScale(): number {
    const misses: number[] = []
    for (const { actual, expected, kind } of this.rows.slice(-42)) {
      if (kind || !(expected > 0)) continue
      misses.push(Math.min(1, Math.abs(actual - expected) / expected))
    }
    if (misses.length === 0) return 0.3
    const scale = Math.max(1.4826 * median(misses), quantile(misses, 0.93) / 1.8, lowestScale)
    return scale * Math.sqrt(1 + 8 / misses.length)
  }
}

/** `exact`: how many times a usual day; `extra`: how many levels more; `highest`: that of the day and its neighbours. */
type MonthAgo = { exact: number; extra: number; highest: number }

const within = ({ firstDay, lastDay }: DayRange, day: string): boolean =>
  firstDay <= day && day <= lastDay

const placeOf = (past: readonly MonthAgo[]): number | null =>
  past.length < 2 ? null : median(past.map(({ exact }) => exact))

/** The level of the next day: the median of ten days, and a part of the trend between the last two tens. */
function levelOf(flat: Float64Array, ahead: number): number {
  const last = median(flat, Math.max(0, flat.length - 10))
  if (flat.length < 20) return last
  const before = median(flat, flat.length - 20, flat.length - 10)
  const most = 0.008 * last
  const daily = Math.max(-most, Math.min(most, (0.7 * (last - before)) / 10))
  return Math.max(0, last + daily * (5.5 + ahead))
}

/** A charge (or a pause) that came on this day of both months before, in levels. */
function chargeOf(past: readonly MonthAgo[], noise: number): number {
  const [one, two] = past
  if (!one || !two) return 0
  const least = Math.max(0.15, 4 * noise)
  const isUp = one.extra > least && two.extra > least
  const isDown = one.extra < -least && two.extra < -least
  return isUp || isDown ? (one.extra + two.extra) / 2 : 0
}

/** The second highest of three months, or the highest of fewer: one odd month hides no rise. */
function envelopeOf(past: readonly MonthAgo[]): number {
  const sorted = past.map(({ highest }) => highest).toSorted((a, b) => b - a)
  return (past.length >= 3 ? sorted[1] : sorted[0]) ?? 0
}
