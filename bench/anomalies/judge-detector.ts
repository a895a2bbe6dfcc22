import { joinedWithinDays } from '../../domain/finops/anomalies/group-anomalies.ts'
import type { Detector } from './detectors.ts'
import { eventKinds, scoredDays, type EventKind } from './generate-events.ts'
import { seriesKinds, type LabelledSeries, type SeriesKind } from './generate-series.ts'

type Count = { alarms: number; truths: number; events: number; found: number }

export type Verdict = Scores & {
  bySeries: Record<SeriesKind, Scores>
  /** Of each kind of event, the share that was found. */
  byEvent: Record<EventKind, { recall: number; events: number; delayDays: number }>
  delayDays: number
  falseAlarmsPer100: number
}

export type Scores = {
  precision: number
  recall: number
  f1: number
  events: number
  alarms: number
}

/**
 * Holds a detector's flags against the labels. Flagged days with at most three days between them are one
 * alarm. An alarm is true if one of its days is in an event's window; an event is found if a flagged day is.
 */
export function judgeDetector(detector: Detector, all: readonly LabelledSeries[]): Verdict {
  const bySeries = emptyCounts(seriesKinds)
  const byEvent = emptyCounts(eventKinds)
  const delays: Record<string, number[]> = Object.fromEntries(eventKinds.map((kind) => [kind, []]))
  for (const series of all) {
    const flags = detector(series)
    const count = bySeries[series.kind]
    for (const { kind, start, until } of series.events) {
      const found = flags.findIndex((flag, index) => flag && index >= start && index <= until)
      count.events += 1
      byEvent[kind].events += 1
      if (found < 0) continue
      count.found += 1
      byEvent[kind].found += 1
      delays[kind]?.push(found - start)
    }
    for (const days of alarmsOf(flags, series.scoredFrom)) {
      count.alarms += 1
      const isTrue = series.events.some(({ start, until }) =>
        days.some((at) => at >= start && at <= until),
      )
      if (isTrue) count.truths += 1
    }
  }
  const total = Object.values(bySeries).reduce(plus)
  const months = (all.length * scoredDays) / 30
  return {
    ...scoresOf(total),
    bySeries: mapValues(bySeries, scoresOf),
    byEvent: mapValues(byEvent, ({ events, found }, kind) => ({
      events,
      recall: found / events,
      delayDays: meanOf(delays[kind] ?? []),
    })),
    delayDays: meanOf(Object.values(delays).flat()),
    falseAlarmsPer100: ((total.alarms - total.truths) / months) * 100,
  }
}

function alarmsOf(flags: readonly boolean[], from: number): number[][] {
  const alarms: number[][] = []
  for (let i = from; i < flags.length; i++) {
    if (!flags[i]) continue
    const last = alarms.at(-1)
    if (last && i - (last.at(-1) ?? 0) <= joinedWithinDays + 1) last.push(i)
    else alarms.push([i])
  }
  return alarms
}

const scoresOf = ({ alarms, truths, events, found }: Count): Scores => {
  const precision = alarms > 0 ? truths / alarms : 1
  const recall = events > 0 ? found / events : 1
  return {
    precision,
    recall,
    f1: (2 * precision * recall) / (precision + recall || 1),
    events,
    alarms,
  }
}

const plus = (one: Count, other: Count): Count => ({
  alarms: one.alarms + other.alarms,
  truths: one.truths + other.truths,
  events: one.events + other.events,
  found: one.found + other.found,
})

const emptyCounts = <Name extends string>(names: readonly Name[]) =>
  Object.fromEntries(
    names.map((name) => [name, { alarms: 0, truths: 0, events: 0, found: 0 }]),
  ) as Record<Name, Count>

const mapValues = <Name extends string, From, To>(
  record: Record<Name, From>,
  change: (value: From, name: Name) => To,
) =>
  Object.fromEntries(
    (Object.keys(record) as Name[]).map((name) => [name, change(record[name], name)]),
  ) as Record<Name, To>

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
