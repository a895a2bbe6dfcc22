import { dayAfter, daysBetween } from '../../domain/finops/anomalies/days.ts'
import { historyDays } from '../../domain/finops/anomalies/scored-day.ts'
import type { Feedback } from '../../domain/finops/anomalies/score-series.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { anomalies } from '../../store/finops/anomalies.ts'
import { anomalyDays, type StoredDay } from '../../store/finops/anomaly-days.ts'
import {
  anomalySeries,
  type AnomalySeries,
  type SeriesAmount,
} from '../../store/finops/anomaly-series.ts'
import { organizationSettings } from '../../store/organizations/settings.ts'
import { anomalyMinimums } from '../../store/finops/anomaly-minimums.ts'

export type SeriesToScore = {
  series: AnomalySeries
  /** The first day that may differ from what was scored; the source's first day where nothing was. */
  from: string
  through: string
  /** By day, exact decimal text; a day without cost is left out. */
  amounts: Map<string, string>
  scored: StoredDay[]
  feedback: Feedback
  minimum: number
}

export type SeriesPage = {
  series: SeriesToScore[]
  /** The page's last key; undefined if no page follows. */
  last: number | undefined
}

/** What one page keeps in memory: days of all its series together. One series has 10,000 at most, since 2000. */
const daysAtOnce = 60_000
const mostAtOnce = 500

type Window = { sourceId: number; from: string; firstDay: string; through: string; after: number }

/** A page of a source's series with all that their scoring needs. */
export async function readSeriesPage(
  tenant: Tenant,
  { sourceId, after, ...days }: Window,
): Promise<SeriesPage> {
  const repository = anomalySeries(tenant)
  const most = Math.floor(daysAtOnce / (daysBetween(days.firstDay, days.through) + 1))
  const limit = Math.max(1, Math.min(mostAtOnce, most))
  const found = await repository.page(sourceId, after, limit)
  const series = await readSeries(tenant, found, {
    ...days,
    amounts: (of) => repository.amounts(sourceId, of),
  })
  return { series, last: found.length === limit ? found.at(-1)?.id : undefined }
}

type Days = {
  from: string
  firstDay: string
  through: string
  /** Scored days are read from this one on, or from earlier where a scoring needs them. */
  since?: string
  amounts: (of: { ids: number[]; from: string; through: string }) => AsyncIterable<SeriesAmount[]>
}

export async function readSeries(
  tenant: Tenant,
  found: readonly AnomalySeries[],
  { from, firstDay, through, since = through, amounts: amountsOfDays }: Days,
): Promise<SeriesToScore[]> {
  const ids = found.map(({ id }) => id)
  // Without stored days, or with older bills than those, a series is scored from its first day.
  const isFresh = ({ scoredFrom }: AnomalySeries) => scoredFrom === null || scoredFrom > firstDay
  const startOf = (series: AnomalySeries): string => {
    if (isFresh(series)) return firstDay
    const next = dayAfter(series.scoredThrough ?? firstDay, 1)
    const earliest = next < from ? next : from
    return earliest < firstDay ? firstDay : earliest
  }
  const earliest = found.map(startOf).reduce((one, other) => (other < one ? other : one), through)
  const history = dayAfter(earliest, -historyDays)
  const amountsOf = new Map(ids.map((id) => [id, new Map<string, string>()]))
  for await (const page of amountsOfDays({ ids, from: earliest, through }))
    for (const { seriesId, day, amount } of page) amountsOf.get(seriesId)?.set(day, amount)
  const scoredOf = new Map<number, StoredDay[]>(
    found.filter((one) => !isFresh(one)).map(({ id }) => [id, []]),
  )
  for await (const page of anomalyDays(tenant).since(ids, since < history ? since : history))
    for (const day of page) scoredOf.get(day.seriesId)?.push(day)
  const verdicts = await anomalies(tenant).verdicts(ids)
  const minimums = await anomalyMinimums(tenant, await organizationSettings(tenant), [
    ...new Set(found.map(({ currency }) => currency)),
  ])
  const verdictsOf = Map.groupBy(verdicts, ({ seriesId }) => seriesId)
  return found.map((one) => ({
    series: one,
    from: startOf(one),
    through,
    amounts: amountsOf.get(one.id) ?? new Map(),
    scored: scoredOf.get(one.id) ?? [],
    feedback: feedbackOf(verdictsOf.get(one.id) ?? []),
    minimum: minimums.get(one.currency) ?? 0,
  }))
}

function feedbackOf(
  verdicts: ReadonlyArray<{ state: string; firstDay: string; lastDay: string }>,
): Feedback {
  const expected = verdicts.filter(({ state }) => state === 'expected')
  return { expected, notAnomalies: verdicts.length - expected.length }
}
