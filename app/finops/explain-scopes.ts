import { setImmediate } from 'node:timers/promises'
import { dayAfter } from '../../domain/finops/anomalies/days.ts'
import {
  excessOfPart,
  excessOfService,
  explainedByDay,
  type DayExcess,
} from '../../domain/finops/anomalies/explained-excess.ts'
import { movedBetweenTags } from '../../domain/finops/anomalies/moved-between-tags.ts'
import { sourceIsNewDays, type ScopeSource } from '../../domain/finops/anomalies/scope-days.ts'
import type { ScoredDay } from '../../domain/finops/anomalies/scored-day.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { scopeExplanations, type FlaggedMonth } from '../../store/finops/scope-explanations.ts'
import { scopeSeries } from '../../store/finops/scope-series.ts'
import { eachInTurns } from './map-in-turns.ts'
import type { ScopesToScore } from './read-scopes.ts'
import type { SeriesToScore } from './read-series-page.ts'

/** A total or a tag as it was scored, with its flagged days that are to be explained. */
export type ScoredScope = {
  one: SeriesToScore
  /** The first day that was scored anew. */
  from: string | undefined
  rows: ScoredDay[]
  flagged: string[]
}
type Explained = Map<string, number>
type Around = Pick<ScopesToScore, 'sources' | 'firstDay'>

/** How much of each flagged day is explained, by series: a total by services, a tag by the parts of services that have it. */
export async function explainScopes(
  tenant: Tenant,
  scopes: readonly ScoredScope[],
  around: Around,
): Promise<Map<number, Explained>> {
  const bySeries = new Map<string, ScopeExcess[]>()
  const add = (one: ScopeExcess) =>
    void listOf(bySeries, `${one.scopeId} ${one.seriesId}`).push(one)
  const isNew = newSources(around)
  // All cost of a source that has just begun is explained: no part of it a second time.
  const addKnown = (one: ScopeExcess) => {
    if (!isNew(one.sourceId, one.day)) add(one)
  }
  await excessesOfServices(tenant, scopes, addKnown)
  await excessesOfParts(tenant, scopes, addKnown)
  await costOfNewSources(tenant, { scopes, around }, add)
  const sums = await sumsByScope(bySeries.values())
  const moved = await movedCost(scopes)
  const explained = new Map<number, Explained>()
  await eachInTurns(
    scopes.map(({ one, flagged }) => ({ ...one.series, flagged, length: flagged.length })),
    ({ id, flagged }) => {
      const days = flagged.map((day): [string, number] => [
        day,
        (sums.get(id)?.get(day) ?? 0) + (moved.get(id)?.get(day) ?? 0),
      ])
      explained.set(id, new Map(days.filter(([, amount]) => amount > 0)))
    },
  )
  return explained
}

type ScopeExcess = DayExcess & { scopeId: number; sourceId: number }

type Add = (excess: ScopeExcess) => void

/** `bySeries`: of one scope and one series each. A series that has several anomalies near a day counts once. */
async function sumsByScope(bySeries: Iterable<ScopeExcess[]>): Promise<Map<number, Explained>> {
  const sums = new Map<number, Explained>()
  await eachInTurns(bySeries, (ofSeries) => {
    const scopeId = ofSeries[0]?.scopeId ?? 0
    const sum: Explained = sums.get(scopeId) ?? new Map()
    sums.set(scopeId, sum)
    for (const [day, excess] of explainedByDay(ofSeries)) sum.set(day, (sum.get(day) ?? 0) + excess)
  })
  return sums
}

function listOf<Item>(lists: Map<string, Item[]>, key: string): Item[] {
  const list = lists.get(key) ?? []
  lists.set(key, list)
  return list
}

async function grouped<Row>(
  pages: AsyncIterable<Row[]>,
  keyOf: (row: Row) => string,
): Promise<Map<string, Row[]>> {
  const groups = new Map<string, Row[]>()
  for await (const page of pages) for (const row of page) listOf(groups, keyOf(row)).push(row)
  return groups
}

const ofKind = (scopes: readonly ScoredScope[], kind: 'total' | 'tag'): ScoredScope[] =>
  scopes.filter(({ one, flagged }) => one.series.scopeKind === kind && flagged.length > 0)

async function excessesOfServices(
  tenant: Tenant,
  scopes: readonly ScoredScope[],
  add: Add,
): Promise<void> {
  const totals = ofKind(scopes, 'total')
  const days = [...new Set(totals.flatMap(({ flagged }) => flagged))]
  const currencies = totals.map(({ one }) => one.series.currency)
  const anomalies = await grouped(scopeExplanations(tenant).services(days, currencies), (row) =>
    [row.seriesId, row.firstDay, row.lastDay].join(' '),
  )
  await eachInTurns(anomalies.values(), (near) => {
    const [first] = near
    const total = totals.find(({ one }) => one.series.currency === first?.currency)
    if (!first || !total) return
    const at = { scopeId: total.one.series.id, sourceId: first.sourceId }
    for (const excess of excessOfService(first, near)) add({ ...excess, ...at })
  })
}

async function excessesOfParts(
  tenant: Tenant,
  scopes: readonly ScoredScope[],
  add: Add,
): Promise<void> {
  const flagged = await flaggedMonths(ofKind(scopes, 'tag'))
  const anomalies = await grouped(scopeExplanations(tenant).parts(flagged), (row) =>
    [row.tagSeriesId, row.seriesId, row.firstDay, row.lastDay].join(' '),
  )
  await eachInTurns(anomalies.values(), (near) => {
    const [first] = near
    if (!first) return
    const at = { scopeId: first.tagSeriesId, sourceId: first.sourceId }
    for (const excess of excessOfPart(first, near)) add({ ...excess, ...at })
  })
}

/** Flagged days are in their order. */
async function flaggedMonths(scopes: readonly ScoredScope[]): Promise<FlaggedMonth[]> {
  const months: FlaggedMonth[] = []
  for (const { one, flagged } of scopes) {
    const seriesId = one.series.id
    let month: FlaggedMonth | undefined
    for (const day of flagged)
      if (month?.firstDay.slice(0, 7) === day.slice(0, 7)) month.lastDay = day
      else months.push((month = { seriesId, firstDay: day, lastDay: day }))
    await setImmediate()
  }
  return months
}

/** Whether a source that came later than the first one was new on a day. */
function newSources({ sources, firstDay }: Around): (sourceId: number, day: string) => boolean {
  const until = new Map(
    sources
      .filter((source) => source.firstDay > firstDay)
      .map((source) => [source.id, dayAfter(source.firstDay, sourceIsNewDays)]),
  )
  return (sourceId, day) => day < (until.get(sourceId) ?? '')
}

async function costOfNewSources(
  tenant: Tenant,
  { scopes, around }: { scopes: readonly ScoredScope[]; around: Around },
  add: Add,
): Promise<void> {
  const from = scopes.flatMap(({ flagged }) => flagged.slice(0, 1)).toSorted()[0]
  const through = scopes
    .flatMap(({ flagged }) => flagged.slice(-1))
    .toSorted()
    .at(-1)
  if (from === undefined || through === undefined) return
  const isNew = newSources(around)
  const isNear = (source: ScopeSource) => source.firstDay <= through && isNew(source.id, from)
  const later = around.sources.filter((source) => source.firstDay > around.firstDay)
  const asked = later.filter(
    (source) => isNear(source) || (source.firstDay >= from && source.firstDay <= through),
  )
  if (asked.length === 0) return
  const ids = scopes.map(({ one }) => one.series.id)
  const sourceIds = asked.map(({ id }) => id)
  const pages = scopeSeries(tenant).amountsOfSources({ ids, from, through, sourceIds })
  for await (const page of pages)
    for (const { seriesId: scopeId, sourceId, day, amount } of page)
      if (isNew(sourceId, day)) {
        // No series of a service: a source is one of its own.
        const seriesId = -sourceId
        add({ scopeId, sourceId, seriesId, day, excess: Math.max(0, Number(amount)) })
      }
}

/** By series of tags: what other values of the key lost to them. */
async function movedCost(scopes: readonly ScoredScope[]): Promise<Map<number, Explained>> {
  const moved = new Map<number, Explained>()
  for (const total of scopes.filter(({ one }) => one.series.scopeKind === 'total')) {
    const tags = scopes.filter(
      ({ one: { series } }) =>
        series.scopeKind === 'tag' && series.currency === total.one.series.currency,
    )
    for (const ofKey of Map.groupBy(tags, ({ one }) => one.series.scopeKey).values()) {
      const lost = await movedInTurns(
        { total: total.rows, tags: ofKey.map(({ rows }) => rows) },
        total.one.minimum,
      )
      ofKey.forEach(({ one }, at) => moved.set(one.series.id, lost[at] ?? new Map()))
    }
  }
  return moved
}

/** `movedBetweenTags` of some days a turn: it compares each day of all values with the one a week before. */
async function movedInTurns(
  { total, tags }: { total: ScoredDay[]; tags: ScoredDay[][] },
  minimum: number,
): Promise<Explained[]> {
  const moved = tags.map((): Explained => new Map())
  const all = [total, ...tags].filter((rows) => rows.length > 0)
  const first = all.map(([row]) => row?.day ?? '').toSorted()[0]
  const last = all
    .map((rows) => rows.at(-1)?.day ?? '')
    .toSorted()
    .at(-1)
  if (first === undefined || last === undefined) return moved
  for (let from = first; from <= last; from = dayAfter(from, daysOfATurn)) {
    const slice = (rows: readonly ScoredDay[]) =>
      daysIn(rows, dayAfter(from, -7), dayAfter(from, daysOfATurn))
    const lost = movedBetweenTags({ total: slice(total), tags: tags.map(slice) }, minimum)
    for (const [at, days] of lost.entries())
      for (const [day, amount] of days) if (day >= from) moved[at]?.set(day, amount)
    await setImmediate()
  }
  return moved
}

/** Of at most 50 values of a key. */
const daysOfATurn = 28

/** Of rows in the order of their days: from one day to before another. */
function daysIn(rows: readonly ScoredDay[], from: string, before: string): ScoredDay[] {
  return rows.slice(placeOf(rows, from), placeOf(rows, before))
}

/** How many rows are before a day. */
function placeOf(rows: readonly ScoredDay[], day: string): number {
  let [low, high] = [0, rows.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((rows[middle]?.day ?? '') < day) low = middle + 1
    else high = middle
  }
  return low
}
