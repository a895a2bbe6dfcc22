import { setImmediate } from 'node:timers/promises'
import { dayAfter } from '../../domain/finops/anomalies/days.ts'
import { foldAnomalies } from '../../domain/finops/anomalies/fold-anomalies.ts'
import { toldAfterFold } from '../../domain/finops/anomalies/told-after-fold.ts'
import { overAfterDays } from '../../domain/finops/anomalies/anomaly-state.ts'
import { historyDays } from '../../domain/finops/anomalies/scored-day.ts'
import type { Store } from '../../store/driver/connect.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { anomalies } from '../../store/finops/anomalies.ts'
import { foldedAnomalies } from '../../store/finops/folded-anomalies.ts'
import { foundAnomalies } from '../../store/finops/found-anomalies.ts'
import { anomalySeries } from '../../store/finops/anomaly-series.ts'
import { eachInTurns } from './map-in-turns.ts'
import { readSeriesPage } from './read-series-page.ts'
import { scoreOneSeries, type Scored } from './score-one-series.ts'
import { settleAnomalies } from './settle-anomalies.ts'
import { writeAnomalies, type Written } from './write-anomalies.ts'

/** A bill may have charges from shortly before its month. */
const beforePeriod = 7

export type ChangedSlice = {
  sourceId: number
  /** `YYYY-MM` or a day of the month */
  period: string
}

/**
 * Scores the series of what changed, from the first day that differs, and writes the anomalies that this
 * finds, changes or takes back. Answers how many were opened or changed. Idempotent: a second call finds
 * every day scored. Reads, computes and writes a page of series at a time, in transactions of their own.
 */
export async function scoreAnomalies(
  store: Store,
  organizationId: number,
  changed: readonly ChangedSlice[],
): Promise<{ anomalies: number }> {
  const firstDays = new Map<number, string>()
  for (const { sourceId, period } of changed) {
    const from = firstDayOf(period)
    const known = firstDays.get(sourceId)
    if (known === undefined || from < known) firstDays.set(sourceId, from)
  }
  let count = 0
  for (const [sourceId, from] of firstDays)
    count += await scoreSource(store, { organizationId, sourceId, from })
  return { anomalies: count }
}

/** The first day that a bill of a month may change. */
export const firstDayOf = (period: string): string =>
  dayAfter(`${period.slice(0, 7)}-01`, -beforePeriod)

type Source = { organizationId: number; sourceId: number; from: string }

async function scoreSource(
  store: Store,
  { organizationId, sourceId, from }: Source,
): Promise<number> {
  const extent = await store.tenant(organizationId, async (tenant) => {
    const series = anomalySeries(tenant)
    const found = await series.extent(sourceId)
    if (found) await series.ensure(sourceId)
    return found
  })
  if (!extent) return 0
  const toExplain: Written['toExplain'] = []
  let changed = 0
  let takenBack = 0
  for (let after = 0; ;) {
    const page = await store.tenant(organizationId, async (tenant) =>
      readSeriesPage(tenant, { sourceId, from, ...extent, after }),
    )
    const scored: Scored[] = []
    for (const one of page.series) {
      const result = await scoreOneSeries(one)
      if (result) scored.push(result)
      await setImmediate()
    }
    const written = await store.tenant(organizationId, async (tenant) =>
      writeAnomalies(tenant, scored, extent.through),
    )
    changed += written.changed
    takenBack += written.takenBack
    toExplain.push(...written.toExplain)
    if (page.last === undefined) break
    after = page.last
  }
  await settleAnomalies(store, {
    organizationId,
    sourceId,
    toExplain,
    isChanged: changed + takenBack > 0,
    tidy: async (tenant) => tidy(tenant, sourceId, { from, ...extent }),
  })
  return changed
}

/** Ends what is over, and puts the anomalies of sub-accounts of one service below the one of them that is shown. */
async function tidy(
  tenant: Tenant,
  sourceId: number,
  { from, through }: { from: string; through: string },
): Promise<boolean> {
  const folded = foldedAnomalies(tenant)
  let count = await anomalies(tenant).resolveBefore(sourceId, dayAfter(through, -overAfterDays))
  const found = await folded.listOfServices(sourceId, dayAfter(from, -historyDays))
  const parents = new Map<number, number | null>()
  await eachInTurns(Map.groupBy(found, ({ service }) => service).values(), (ofService) => {
    const folded = foldAnomalies(
      ofService.map(({ toldImpact, ...one }) => ({ ...one, isTold: toldImpact !== null })),
    )
    for (const [id, parent] of folded) parents.set(id, parent)
  })
  for (const { id, parentId } of found) {
    const parent = parents.get(id) ?? null
    if (parent === parentId) continue
    await folded.putBelow(id, parent)
    count += 1
  }
  count += await folded.noteDaysBelow(sourceId)
  for (const [id, told] of toldAfterFold(found, parents))
    await foundAnomalies(tenant).setTold(id, told.toFixed(6))
  return count > 0
}
