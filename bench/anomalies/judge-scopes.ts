import { dayAfter, daysBetween } from '../../domain/finops/anomalies/days.ts'
import {
  excessOfPart,
  excessOfService,
  explainedByDay,
  type DayExcess,
} from '../../domain/finops/anomalies/explained-excess.ts'
import { groupAnomalies } from '../../domain/finops/anomalies/group-anomalies.ts'
import { movedBetweenTags } from '../../domain/finops/anomalies/moved-between-tags.ts'
import { sourceIsNewDays } from '../../domain/finops/anomalies/scope-days.ts'
import { scoreSeries } from '../../domain/finops/anomalies/score-series.ts'
import { historyDays, type ScoredDay } from '../../domain/finops/anomalies/scored-day.ts'
import { unexplainedDays } from '../../domain/finops/anomalies/unexplained-days.ts'
import { guard } from './detectors.ts'
import { scoredDays } from './generate-events.ts'
import type { MadeOrganization, MadeService } from './generate-organizations.ts'

export type ScopeCounts = {
  /** Totals or tags that were judged. */
  series: number
  alarms: number
  falseAlarms: number
  /** Rises of all services together, or of all that has the tag. */
  rises: number
  /** Those that were told as such, and those that were told so or of a service at least. */
  found: number
  seen: number
}
export type ScopesJudged = { total: ScopeCounts; tag: ScopeCounts }

/**
 * What people are told of totals and tags, each day by what was known on it: a total that is told a day before the
 * service that explains it was told in vain. `all`: without regard to what services explain.
 */
export function judgeScopes(organizations: readonly MadeOrganization[]): {
  unexplained: ScopesJudged
  all: ScopesJudged
} {
  const judged = {
    unexplained: { total: emptyCounts(), tag: emptyCounts() },
    all: { total: emptyCounts(), tag: emptyCounts() },
  }
  for (const made of organizations) {
    const services = made.services.map((service) => ({
      service,
      rows: scoredOf(made, sumOf([...service.parts.values()])),
    }))
    for (const { kind, tag, rows, lost } of scopesOf(made)) {
      const known = { services, tag }
      count(judged.all[kind], made, { ...known, told: daysOf(made, rows) })
      const told = toldOf(made, services, { rows, tag, lost })
      count(judged.unexplained[kind], made, { ...known, told })
    }
  }
  return judged
}

export const falseAlarmsPer100 = ({ falseAlarms, series }: ScopeCounts): number =>
  (falseAlarms / ((series * scoredDays) / 30)) * 100

const emptyCounts = (): ScopeCounts => ({
  series: 0,
  alarms: 0,
  falseAlarms: 0,
  rises: 0,
  found: 0,
  seen: 0,
})

type Scored = { service: MadeService; rows: ScoredDay[] }
type Scope = { tag: string | null; rows: ScoredDay[]; lost: Map<string, number> }

function scopesOf(made: MadeOrganization): Array<Scope & { kind: 'total' | 'tag' }> {
  const rowsOf = (tag: string | null) =>
    scoredOf(
      made,
      sumOf(
        made.services.flatMap(({ parts }) =>
          tag === null ? [...parts.values()] : [parts.get(tag) ?? []],
        ),
      ),
    )
  const total = rowsOf(null)
  const tags = made.tags.map(rowsOf)
  const moved = movedBetweenTags({ total, tags }, guard.minimum)
  return [
    { kind: 'total', tag: null, rows: total, lost: new Map() },
    ...made.tags.map((tag, at) => ({
      kind: 'tag' as const,
      tag,
      rows: tags[at] ?? [],
      lost: moved[at] ?? new Map<string, number>(),
    })),
  ]
}

const sumOf = (series: ReadonlyArray<readonly number[]>): number[] => {
  const length = Math.max(0, ...series.map((amounts) => amounts.length))
  return Array.from({ length }, (_, at) =>
    series.reduce((sum, amounts) => sum + (amounts[at] ?? 0), 0),
  )
}

const scoredOf = ({ firstDay }: MadeOrganization, amounts: readonly number[]): ScoredDay[] =>
  scoreSeries(
    [],
    amounts.map((amount, at) => ({ day: dayAfter(firstDay, at), amount })),
    { minimum: guard.minimum },
  )

const daysOf = ({ firstDay }: MadeOrganization, rows: readonly ScoredDay[]): number[] =>
  rows.filter(({ kind }) => kind !== null).map(({ day }) => daysBetween(firstDay, day))

/** The days that were told by what was known on them. */
function toldOf(made: MadeOrganization, services: readonly Scored[], scope: Scope): number[] {
  const newUntil = secondSourceIsNewUntil(services)
  return scope.rows.flatMap((row, at) => {
    if (row.kind === null || (scope.tag !== null && row.kind === 'new_spend')) return []
    const excesses = services.flatMap((scored, seriesId) => {
      const amounts = scope.tag === null ? undefined : scored.service.parts.get(scope.tag)
      if (scope.tag !== null && !amounts) return []
      if (scored.service.source === 1 && at < newUntil) {
        const amount = amounts ? (amounts[at] ?? 0) : (scored.rows[at]?.actual ?? 0)
        return [{ seriesId, day: row.day, excess: Math.max(0, amount) }]
      }
      return excessesOf(made, scored, { seriesId, amounts, at })
    })
    const ofDay = explainedByDay(excesses).get(row.day) ?? 0
    const explained = ofDay + (scope.lost.get(row.day) ?? 0)
    const [left] = unexplainedDays([{ ...row, run: 1, explained }], guard.minimum)
    return left?.kind ? [at] : []
  })
}

type Asked = { seriesId: number; amounts: readonly number[] | undefined; at: number }

function excessesOf(
  { firstDay }: MadeOrganization,
  { rows }: Scored,
  { seriesId, amounts, at }: Asked,
): DayExcess[] {
  const known = rows.slice(Math.max(0, at + 1 - historyDays), at + 1)
  const part = amounts
    ?.slice(0, at + 1)
    .map((amount, index) => ({ day: dayAfter(firstDay, index), amount }))
  const day = dayAfter(firstDay, at)
  return groupAnomalies(known).flatMap((anomaly) => {
    const near = { seriesId, firstDay: anomaly.firstDay, lastDay: anomaly.lastDay }
    const excesses = part
      ? excessOfPart(near, part)
      : excessOfService(
          near,
          known.map((row) => ({ ...row, amount: row.actual })),
        )
    return excesses.filter((excess) => excess.day === day)
  })
}

function secondSourceIsNewUntil(services: readonly Scored[]): number {
  const begins = services
    .filter(({ service }) => service.source === 1)
    .map(({ rows }) => rows.findIndex(({ actual }) => actual > 0))
  return begins.length > 0 ? Math.min(...begins) + sourceIsNewDays : 0
}

type Told = { services: readonly Scored[]; tag: string | null; told: readonly number[] }

function count(
  counts: ScopeCounts,
  { services: made, spread, scoredFrom }: MadeOrganization,
  { services, tag, told }: Told,
): void {
  const isOf = (of: string | null) => tag === null || of === tag
  // A rise of one service is real too, where the service did not show it.
  const events = [
    ...spread.filter((rise) => isOf(rise.tag) || rise.tag === null),
    ...made.flatMap((service) => service.events.filter((event) => isOf(event.tag))),
  ]
  counts.series += 1
  for (const days of alarmsOf(told, scoredFrom)) {
    counts.alarms += 1
    const isTrue = events.some(({ start, until }) => days.some((at) => at >= start && at <= until))
    if (!isTrue) counts.falseAlarms += 1
  }
  for (const { start, until } of spread.filter((rise) => rise.tag === tag)) {
    const isFound = told.some((at) => at >= start && at <= until)
    const ofService = services.some(({ rows }) =>
      rows.slice(start, until + 1).some(({ kind }) => kind !== null),
    )
    counts.rises += 1
    if (isFound) counts.found += 1
    if (isFound || ofService) counts.seen += 1
  }
}

/** Days with at most three days between them are one alarm. */
function alarmsOf(told: readonly number[], from: number): number[][] {
  const alarms: number[][] = []
  for (const at of told.filter((day) => day >= from)) {
    const last = alarms.at(-1)
    if (last && at - (last.at(-1) ?? 0) <= 4) last.push(at)
    else alarms.push([at])
  }
  return alarms
}
