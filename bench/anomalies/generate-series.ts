import { dayAfter } from '../../domain/finops/anomalies/days.ts'
import { addEvents, scoredDays, type EventLabel } from './generate-events.ts'
import { Random } from './random.ts'

export const seriesKinds = [
  'flat',
  'weekly',
  'growth',
  'bursty',
  'first-of-month',
  'intermittent',
  'month-reset',
] as const
export type SeriesKind = (typeof seriesKinds)[number]

export type LabelledSeries = {
  kind: SeriesKind
  firstDay: string
  /** By day; the last one is partial: a bill's day that is not over. */
  amounts: number[]
  /** What each day would have cost without its events. */
  withoutEvents: number[]
  /** What a day was said to cost when it was first seen, where that was less. */
  firstSeen: Map<number, number>
  /** The index of the first day that counts. */
  scoredFrom: number
  events: EventLabel[]
}

const shares: Record<SeriesKind, number> = {
  flat: 25,
  weekly: 33,
  growth: 15,
  bursty: 10,
  'first-of-month': 6,
  intermittent: 5,
  'month-reset': 6,
}

/**
 * Daily cost of services that do not exist, with labelled events. Dates are real, so months have 28 to 31
 * days. Everything that the kinds have in common (noise, drift of the level, holidays, small lasting
 * changes, credits, late arrivals) is drawn for each series, so that no detector can learn one value.
 */
export function generateSeries(seed: number, count: number): LabelledSeries[] {
  const random = new Random(seed)
  return Array.from({ length: count }, () => oneSeries(random))
}

type Dates = { warmUp: number; firstDay: string }

export const drawDates = (random: Random): Dates => ({
  warmUp: random.integer(60, 120),
  firstDay: dayAfter('2022-01-01', random.integer(0, 1200)),
})

export function oneSeries(random: Random, dates?: Dates): LabelledSeries {
  const kind = random.pick(shares)
  const { warmUp, firstDay } = dates ?? drawDates(random)
  const length = warmUp + scoredDays + 1
  const level = random.logUniform(15, 5000)
  const days = Array.from({ length }, (_, index) => dayAfter(firstDay, index))
  const shape = shapes[kind](random, days)
  const noise = noiseOf(random, kind)
  const walk = random.chance(0.6) ? random.logUniform(0.001, 0.012) : 0

  let wandering = 0
  const amounts = days.map((_, index) => {
    wandering += walk * random.normal()
    const value = shape[index] ?? 0
    return Math.max(0, value * level * Math.exp(wandering) * (1 + noise * random.heavyTailed()))
  })
  addBenign(random, amounts, days)
  const withoutEvents = [...amounts]
  const events = addEvents(random, { amounts, level, noise, scoredFrom: warmUp })
  const firstSeen = addArrivals(random, amounts)
  return { kind, firstDay, amounts, withoutEvents, firstSeen, scoredFrom: warmUp, events }
}

const noiseOf = (random: Random, kind: SeriesKind): number =>
  kind === 'bursty' ? random.logUniform(0.15, 0.35) : random.logUniform(0.005, 0.2)

type Shape = (random: Random, days: readonly string[]) => number[]

const weekdayOf = (day: string): number => new Date(`${day}T00:00:00Z`).getUTCDay()
const dateOf = (day: string): number => Number(day.slice(8))
const isLastOfMonth = (day: string): boolean => dayAfter(day, 1).endsWith('-01')

const shapes: Record<SeriesKind, Shape> = {
  flat: (_, days) => days.map(() => 1),
  weekly(random, days) {
    const weekend = random.uniform(0.15, 0.85)
    const week = Array.from({ length: 7 }, (_, day) =>
      day === 0 || day === 6 ? weekend * random.uniform(0.9, 1.1) : random.uniform(0.9, 1.1),
    )
    return days.map((day) => week[weekdayOf(day)] ?? 1)
  },
  growth(random, days) {
    const daily = random.uniform(0.001, 0.009)
    const weekend = random.chance(0.5) ? random.uniform(0.5, 0.95) : 1
    return days.map(
      (day, index) => (1 + daily) ** index * ([0, 6].includes(weekdayOf(day)) ? weekend : 1),
    )
  },
  bursty(random, days) {
    const often = random.uniform(0.02, 0.1)
    const top = random.uniform(1.4, 2.2)
    return days.map(() => (random.chance(often) ? random.uniform(1.2, top) : 1))
  },
  'first-of-month'(random, days) {
    const extra = random.logUniform(1, 12)
    const on = random.integer(1, 3)
    const atEnd = random.chance(0.2)
    return days.map((day) => ((atEnd ? isLastOfMonth(day) : dateOf(day) === on) ? 1 + extra : 1))
  },
  intermittent(random, days) {
    const every = random.integer(2, 7)
    const isRegular = random.chance(0.4)
    const probability = random.uniform(0.15, 0.5)
    const spread = random.uniform(0.05, 0.3)
    return days.map((_, index) => {
      const hasCost = isRegular ? index % every === 0 : random.chance(probability)
      return hasCost ? Math.exp(spread * random.normal()) : 0
    })
  },
  'month-reset'(random, days) {
    const form = random.pick({ freeTier: 1, tiers: 1, fillsUp: 1 })
    const free = random.integer(3, 12)
    const drop = random.uniform(0.2, 0.6)
    const from = random.integer(8, 20)
    const fall = random.uniform(0.3, 0.7)
    return days.map((day) => {
      const date = dateOf(day)
      if (form === 'freeTier') return date <= free ? 0.05 : 1
      if (form === 'tiers') return date >= from ? 1 - drop : 1
      return 1 - fall + (fall * date) / 30
    })
  },
}

/** What happens to a bill without being an anomaly: holidays, services turned off, small changes, credits. */
function addBenign(random: Random, amounts: number[], days: readonly string[]): void {
  const scale = (from: number, to: number, factor: number) => {
    for (let i = Math.max(0, from); i < Math.min(amounts.length, to); i++)
      amounts[i] = (amounts[i] ?? 0) * factor
  }
  if (random.chance(0.4)) {
    const dip = random.uniform(0.4, 0.9)
    days.forEach((day, index) => {
      if (day.endsWith('-12-24')) scale(index, index + random.integer(3, 10), dip)
    })
    const start = random.integer(40, amounts.length)
    scale(start, start + random.integer(1, 4), dip)
  }
  if (random.chance(0.08))
    scale(random.integer(50, amounts.length), amounts.length, random.uniform(0.2, 0.7))
  const changes = random.integer(0, 2)
  for (let i = 0; i < changes; i++)
    scale(random.integer(20, amounts.length), amounts.length, 1 + random.uniform(0.03, 0.09))
  if (random.chance(0.15)) {
    const at = random.integer(20, amounts.length - 2)
    amounts[at] = -(amounts[at] ?? 0) * random.uniform(0.1, 1)
  }
}

/** Makes the last day partial, and a few days late: of these a part of the cost is there a day later. */
function addArrivals(random: Random, amounts: number[]): Map<number, number> {
  const firstSeen = new Map<number, number>()
  const last = amounts.length - 1
  amounts[last] = (amounts[last] ?? 0) * random.uniform(0.05, 0.7)
  if (random.chance(0.25))
    for (let i = 0; i < 4; i++) {
      const at = random.integer(30, last - 1)
      firstSeen.set(at, (amounts[at] ?? 0) * random.uniform(0.6, 0.98))
    }
  return firstSeen
}
