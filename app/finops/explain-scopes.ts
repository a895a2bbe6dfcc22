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
import { scopeExplanations } from '../../store/finops/scope-explanations.ts'
import { scopeSeries } from '../../store/finops/scope-series.ts'
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
  const fresh = await costOfNewSources(tenant, scopes, around)
  const excesses = [
    ...(await excessesOfServices(tenant, scopes)),
    ...(await excessesOfParts(tenant, scopes)),
  ]
  const isNew = newSources(around)
  // All cost of a source that has just begun is explained: no part of it a second time.
  const known = excesses.filter(({ sourceId, day }) => !isNew(sourceId, day))
  const bySeries = Map.groupBy([...known, ...fresh], ({ scopeId }) => scopeId)
  const moved = movedCost(scopes)
  return new Map(
    scopes.map(({ one: { series }, flagged }) => {
      const explained = explainedByDay(bySeries.get(series.id) ?? [])
      const days = flagged.map((day): [string, number] => [
        day,
        (explained.get(day) ?? 0) + (moved.get(series.id)?.get(day) ?? 0),
      ])
      return [series.id, new Map(days.filter(([, amount]) => amount > 0))]
    }),
  )
}

type ScopeExcess = DayExcess & { scopeId: number; sourceId: number }

const ofKind = (scopes: readonly ScoredScope[], kind: 'total' | 'tag'): ScoredScope[] =>
  scopes.filter(({ one, flagged }) => one.series.scopeKind === kind && flagged.length > 0)

async function excessesOfServices(
  tenant: Tenant,
  scopes: readonly ScoredScope[],
): Promise<ScopeExcess[]> {
  const totals = ofKind(scopes, 'total')
  const days = [...new Set(totals.flatMap(({ flagged }) => flagged))]
  const currencies = totals.map(({ one }) => one.series.currency)
  const rows = await scopeExplanations(tenant).services(days, currencies)
  const anomalies = Map.groupBy(rows, (row) => [row.seriesId, row.firstDay, row.lastDay].join(' '))
  return [...anomalies.values()].flatMap((near) => {
    const [first] = near
    const total = totals.find(({ one }) => one.series.currency === first?.currency)
    if (!first || !total) return []
    const at = { scopeId: total.one.series.id, sourceId: first.sourceId }
    return excessOfService(first, near).map((excess) => ({ ...excess, ...at }))
  })
}

async function excessesOfParts(
  tenant: Tenant,
  scopes: readonly ScoredScope[],
): Promise<ScopeExcess[]> {
  const flagged = ofKind(scopes, 'tag').flatMap((scope) =>
    scope.flagged.map((day) => ({ seriesId: scope.one.series.id, day })),
  )
  const rows = await scopeExplanations(tenant).parts(flagged)
  const anomalies = Map.groupBy(rows, (row) =>
    [row.tagSeriesId, row.seriesId, row.firstDay, row.lastDay].join(' '),
  )
  return [...anomalies.values()].flatMap((near) => {
    const [first] = near
    if (!first) return []
    const at = { scopeId: first.tagSeriesId, sourceId: first.sourceId }
    return excessOfPart(first, near).map((excess) => ({ ...excess, ...at }))
  })
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
  scopes: readonly ScoredScope[],
  around: Around,
): Promise<ScopeExcess[]> {
  const days = scopes.flatMap(({ flagged }) => flagged).toSorted()
  const [from, through] = [days[0], days.at(-1)]
  if (from === undefined || through === undefined) return []
  const isNew = newSources(around)
  const isNear = (source: ScopeSource) => source.firstDay <= through && isNew(source.id, from)
  const later = around.sources.filter((source) => source.firstDay > around.firstDay)
  const asked = later.filter(
    (source) => isNear(source) || (source.firstDay >= from && source.firstDay <= through),
  )
  if (asked.length === 0) return []
  const ids = scopes.map(({ one }) => one.series.id)
  const sourceIds = asked.map(({ id }) => id)
  const rows = await scopeSeries(tenant).amountsOfSources({ ids, from, through, sourceIds })
  return rows
    .filter(({ sourceId, day }) => isNew(sourceId, day))
    .map(({ seriesId, sourceId, day, amount }) => ({
      scopeId: seriesId,
      sourceId,
      // No series of a service: a source is one of its own.
      seriesId: -sourceId,
      day,
      excess: Math.max(0, Number(amount)),
    }))
}

/** By series of tags: what other values of the key lost to them. */
function movedCost(scopes: readonly ScoredScope[]): Map<number, Explained> {
  const moved = new Map<number, Explained>()
  for (const total of scopes.filter(({ one }) => one.series.scopeKind === 'total')) {
    const tags = scopes.filter(
      ({ one: { series } }) =>
        series.scopeKind === 'tag' && series.currency === total.one.series.currency,
    )
    for (const ofKey of Map.groupBy(tags, ({ one }) => one.series.scopeKey).values()) {
      const days = { total: total.rows, tags: ofKey.map(({ rows }) => rows) }
      const lost = movedBetweenTags(days, total.one.minimum)
      ofKey.forEach(({ one }, at) => moved.set(one.series.id, lost[at] ?? new Map()))
    }
  }
  return moved
}
