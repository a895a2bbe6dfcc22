import { setImmediate } from 'node:timers/promises'
import { unavailable } from '../../domain/errors.ts'
import { overAfterDays } from '../../domain/finops/anomalies/anomaly-state.ts'
import { dayAfter } from '../../domain/finops/anomalies/days.ts'
import { groupAnomalies, joinedWithinDays } from '../../domain/finops/anomalies/group-anomalies.ts'
import { unexplainedDays } from '../../domain/finops/anomalies/unexplained-days.ts'
import type { Store } from '../../store/driver/connect.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { anomalies } from '../../store/finops/anomalies.ts'
import type { AnomalySeries } from '../../store/finops/anomaly-series.ts'
import { scopeScorings } from '../../store/finops/scope-scorings.ts'
import { explainScopes, type ScoredScope } from './explain-scopes.ts'
import { readScopes, type ScopesToScore } from './read-scopes.ts'
import type { SeriesToScore } from './read-series-page.ts'
import { mapInTurns } from './map-in-turns.ts'
import { scoreDays, type Scored } from './score-one-series.ts'
import { settleAnomalies } from './settle-anomalies.ts'
import { writeAnomalies, type Written } from './write-anomalies.ts'

type At = { organizationId: number; from: string }

/** Each reading after the first one is made because another scoring has ended meanwhile. */
const maxReadings = 10

/**
 * Scores an organization's whole cost and its tags, after the services, from a day on that may have changed. What
 * the anomalies of services explain is no anomaly (docs/cost.md). Answers how many were opened or changed.
 * Idempotent. Of two at once the one that read the newer cost stays: the other one reads anew.
 */
export async function scoreScopes(
  store: Store,
  { organizationId, from }: At,
): Promise<{ anomalies: number }> {
  const { changed, toExplain, takenBack, through } = await readAndWrite(store, {
    organizationId,
    from,
  })
  await settleAnomalies(store, {
    organizationId,
    sourceId: null,
    toExplain,
    isChanged: changed + takenBack > 0,
    tidy: async (tenant) => resolve(tenant, through),
  })
  return { anomalies: changed }
}

async function readAndWrite(
  store: Store,
  { organizationId, from }: At,
): Promise<Written & { through: string }> {
  for (let readings = 0; readings < maxReadings; readings += 1) {
    const { version, read } = await store.tenant(organizationId, async (tenant) => ({
      version: await scopeScorings(tenant).version(),
      read: await readScopes(tenant, from),
    }))
    const through = 'gone' in read ? '' : read.through
    const scored =
      'gone' in read ? read.gone.map(withoutDays) : await score(store, organizationId, read)
    try {
      const written = await store.tenant(organizationId, async (tenant) => {
        const outcome = await writeAnomalies(tenant, scored, through)
        if (!(await scopeScorings(tenant).note(version))) throw new Overtaken()
        return outcome
      })
      return { ...written, through }
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error
    }
  }
  throw unavailable('scoring_overtaken', 'The cost changes too often to be scored.')
}

/** Rolls the writing transaction back: a newer reading was written. */
class Overtaken extends Error {}

async function score(store: Store, organizationId: number, read: ScopesToScore): Promise<Scored[]> {
  const scopes: ScoredScope[] = []
  for (const one of read.series) {
    scopes.push(await scoreScope(one, read.explainFrom))
    await setImmediate()
  }
  const explained = await store.tenant(organizationId, async (tenant) =>
    explainScopes(tenant, scopes, read),
  )
  // The whole first: tags that rose with it are not told apart.
  const first = scopes.toSorted((a, b) => Number(isTotal(b)) - Number(isTotal(a)))
  const scored: Scored[] = []
  for (const scope of first) {
    const of = explained.get(scope.one.series.id) ?? new Map<string, number>()
    const left = await leaveUnexplained(scope, of, read)
    if (left) scored.push(left)
    await setImmediate()
  }
  return scored
}

const isTotal = ({ one }: ScoredScope): boolean => one.series.scopeKind === 'total'

async function scoreScope(one: SeriesToScore, explainFrom: string): Promise<ScoredScope> {
  const { from, rows } = await scoreDays(one)
  const since = from !== undefined && from < explainFrom ? from : explainFrom
  const flagged = rows.flatMap(({ day, kind }) => (kind !== null && day >= since ? [day] : []))
  return { one, from, rows, flagged }
}

/** Undefined where neither a day nor what is explained of it is another one than before. */
async function leaveUnexplained(
  { one, from, rows }: ScoredScope,
  explained: ReadonlyMap<string, number>,
  { explainFrom }: ScopesToScore,
): Promise<Scored | undefined> {
  const stored = new Map(one.scored.map((day) => [day.day, day]))
  const start = from !== undefined && from < explainFrom ? from : explainFrom
  const explainedOf = (day: string) =>
    (day < start ? stored.get(day)?.explained : explained.get(day)) ?? 0
  const isOther = rows.some(
    ({ day }) => day >= start && explainedOf(day) !== (stored.get(day)?.explained ?? 0),
  )
  if (from === undefined && !isOther) return undefined
  const all = await mapInTurns(rows, (row) => ({ ...row, explained: explainedOf(row.day) }))
  const told = unexplainedDays(all, one.minimum).map((row) =>
    // A value that begins to be used is as often a new name as new cost.
    row.kind === 'new_spend' && one.series.scopeKind === 'tag' ? { ...row, kind: null } : row,
  )
  const since = dayAfter(start, -joinedWithinDays - 1)
  return {
    series: one.series,
    minimum: one.minimum,
    from: start,
    days: await mapInTurns(
      all.filter(({ day }) => day >= start),
      (row) => ({
        ...row,
        seriesId: one.series.id,
        actual:
          (row.day < one.from ? stored.get(row.day)?.actual : one.amounts.get(row.day)) ?? '0',
      }),
    ),
    since,
    found: groupAnomalies(told).filter(({ lastDay }) => lastDay >= since),
  }
}

/** The last bill is gone: nothing is left of what was scored. */
const withoutDays = (series: AnomalySeries): Scored => ({
  series,
  minimum: 0,
  from: '0001-01-01',
  days: [],
  since: '0001-01-01',
  found: [],
})

async function resolve(tenant: Tenant, through: string): Promise<boolean> {
  if (through === '') return false
  return (await anomalies(tenant).resolveBefore(null, dayAfter(through, -overAfterDays))) > 0
}
