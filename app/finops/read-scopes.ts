import { dayAfter } from '../../domain/finops/anomalies/days.ts'
import { explainsDaysAfter } from '../../domain/finops/anomalies/explained-excess.ts'
import { joinedWithinDays } from '../../domain/finops/anomalies/group-anomalies.ts'
import { scopeDays, type ScopeSource } from '../../domain/finops/anomalies/scope-days.ts'
import { historyDays } from '../../domain/finops/anomalies/scored-day.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import type { AnomalySeries } from '../../store/finops/anomaly-series.ts'
import { scopeSeries } from '../../store/finops/scope-series.ts'
import { organizationSettings } from '../../store/organizations/settings.ts'
import { readSeries, type SeriesToScore } from './read-series-page.ts'

export type ScopesToScore = {
  firstDay: string
  through: string
  /** What services explain is looked at anew from this day on: their anomalies may be others now. */
  explainFrom: string
  sources: ScopeSource[]
  series: SeriesToScore[]
}

/** An anomaly of a service that a change of `from` on opened or took back explains days before it too. */
const explainedAnewDays = explainsDaysAfter + joinedWithinDays + 4

/** The whole cost and the tags with all that their scoring needs. Without a bill: what to take back. */
export async function readScopes(
  tenant: Tenant,
  from: string,
): Promise<ScopesToScore | { gone: AnomalySeries[] }> {
  const scopes = scopeSeries(tenant)
  const sources = await scopes.sources()
  const extent = scopeDays(sources, await scopes.scoredThrough())
  if (!extent) return { gone: await scopes.list([], '0001-01-01') }
  const { firstDay, through } = extent
  const { tagKey, currency } = await organizationSettings(tenant)
  const explainFrom = dayAfter(from < firstDay ? firstDay : from, -explainedAnewDays)
  const wanted = await scopes.wanted({ tagKey, currency, through })
  await scopes.ensure(wanted)
  const found = await scopes.list(wanted, explainFrom)
  const series = await readSeries(tenant, found, {
    from,
    firstDay,
    through,
    since: dayAfter(explainFrom, -historyDays),
    amounts: (days) => scopes.amounts(days),
  })
  return { firstDay, through, explainFrom, sources, series }
}
