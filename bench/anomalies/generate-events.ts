import type { Random } from './random.ts'

/** How many days of a series count, after those that it begins with. */
export const scoredDays = 150

export const eventKinds = ['spike', 'shift', 'new', 'ramp'] as const
export type EventKind = (typeof eventKinds)[number]

/** An event starts on day `start`, and counts as found up to day `until`. */
export type EventLabel = { kind: EventKind; start: number; until: number }

/** How many days after its start an event of this kind still counts as found. */
const windows: Record<EventKind, number> = { spike: 3, new: 4, shift: 6, ramp: 13 }

type Target = { amounts: number[]; level: number; noise: number; scoredFrom: number }

/** Adds about 0.6 events to a series, at least 28 days apart, in the days that are scored. */
export function addEvents(random: Random, target: Target): EventLabel[] {
  const events: EventLabel[] = []
  let at = target.scoredFrom + random.integer(1, 60)
  const end = target.scoredFrom + scoredDays
  while (at < end - 14) {
    if (random.chance(0.32)) events.push(addEvent(random, target, at))
    at += random.integer(28, 70)
  }
  return events
}

/** What is labelled can be seen: no event is smaller than 3.5 deviations of its series' noise, or $20. */
function addEvent(random: Random, { amounts, level, noise }: Target, at: number): EventLabel {
  const kind = random.pick({ spike: 42, shift: 30, new: 15, ramp: 13 })
  const costs = amounts.slice(Math.max(0, at - 28), at).filter((amount) => amount > 0)
  const typical = Math.max(level * 0.3, meanOf(costs))
  const least = Math.max(20 / typical, 3.5 * noise)
  // What makes a cost greater begins where there is one; something new may begin on any day.
  const start = kind === 'new' ? at : nextCost(amounts, at)
  const change = (days: number, by: (amount: number, index: number) => number) => {
    for (let i = start; i < Math.min(start + days, amounts.length); i++)
      amounts[i] = by(amounts[i] ?? 0, i - start)
  }
  if (kind === 'spike') {
    const extra = typical * Math.max(least, random.logUniform(0.5, 4))
    change(random.integer(1, 3), (amount) => amount + extra * random.uniform(0.8, 1.2))
  } else if (kind === 'shift') {
    const factor = Math.max(1 + least, random.uniform(1.35, 3.5))
    change(random.chance(0.6) ? Infinity : random.integer(10, 60), (amount) => amount * factor)
  } else if (kind === 'new') {
    const extra = typical * Math.max(least, random.logUniform(0.4, 2.5))
    change(Infinity, (amount) => amount + extra * (1 + 0.05 * random.normal()))
  } else {
    const days = random.integer(10, 14)
    const rise = Math.max(least, random.uniform(0.5, 2))
    change(Infinity, (amount, index) => amount * (1 + rise * Math.min(1, (index + 1) / days)))
  }
  return { kind, start, until: start + windows[kind] }
}

function nextCost(amounts: readonly number[], from: number): number {
  const at = amounts.findIndex((amount, index) => index >= from && amount > 0)
  return at < 0 || at > from + 10 ? from : at
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
