import { shownBudgetStates } from '../../../app/finops/budget-states.ts'
import {
  assertTagKey,
  costWindow,
  type CostBasis,
  type CostFilters,
  type CostQuery,
  type CostWindow,
} from '../../../domain/finops/cost-query.ts'
import { costSeries } from '../../../store/finops/cost/cost-series.ts'
import type { CostRead } from '../../../store/finops/cost/cost-rows.ts'
import { costStand } from '../../../store/finops/cost/cost-stand.ts'
import { withDefaults } from '../../../store/organizations/settings.ts'
import type { Store } from '../../../store/driver/connect.ts'
import { costTotals } from '../../../store/finops/cost/cost-totals.ts'
import { freshness, namesOfSources, ratesIn } from '../../../store/finops/cost/freshness.ts'
import type { Tenant } from '../../../store/driver/tenant.ts'
import { shownAnomalies } from '../../../store/finops/shown-anomalies.ts'
import { namesOfWorkspaces } from '../../../store/workspaces/names-of-workspaces.ts'
import { presentPayload, type CostFrame, type Stand } from './present-cost.ts'
import { presentSeries } from './present-series.ts'
import type { CostBody, SeriesBody, SeriesQueryFields } from './schemas.ts'

/** The query with its defaults. Refuses what the schema cannot express. */
export function readQuery<Q extends Partial<CostWindow> & CostFilters & { basis?: CostBasis }>({
  from,
  to,
  basis = 'effective',
  ...asked
}: Q): CostQuery & Omit<Q, 'from' | 'to' | 'basis'> {
  assertTagKey(asked)
  const window = costWindow({ ...(from && { from }), ...(to && { to }) }, new Date())
  return { ...asked, ...window, basis }
}

/** The stand with the settings' defaults. */
export async function readStand(
  store: Store,
  organizationId: number,
  query: CostQuery,
): Promise<Stand> {
  const { settings, ...found } = await costStand(store, organizationId, query)
  const { currency, tagKey } = withDefaults(settings)
  return { ...found, currency, tagKey }
}

export const readOf = (organizationId: number, stand: Stand, query: CostQuery): CostRead => ({
  organizationId,
  query,
  currency: stand.currency,
  shownKey: query.tagKey ?? stand.tagKey,
})

/** The newest; of their texts and figures so many bytes. */
const anomalyBounds = { limit: 500, mostBytes: 786_432 }

export async function readPayload(
  tenant: Tenant,
  stand: Stand,
  query: CostQuery,
): Promise<{ body: CostBody; isWhole: boolean }> {
  if (!stand.hasCost) return { body: { empty: true }, isWhole: true }
  const totals = await costTotals(tenant, readOf(tenant.organizationId, stand, query))
  const ids = totals.owners.flatMap(({ workspaceId }) => workspaceId ?? [])
  const found = await namesOfWorkspaces(tenant, ids)
  const names = new Map([...found.values()].map(({ id, name }) => [id, name]))
  const anomalies = await shownAnomalies(tenant).list(anomaliesOf(query), anomalyBounds)
  const { budgets, isWhole } = await shownBudgetStates(tenant)
  const frame = await frameOf(tenant, stand, query)
  return { body: presentPayload(frame, totals, { names, anomalies, budgets }), isWhole }
}

/** Those that touch the window; filters that an anomaly does not know leave it in. */
const anomaliesOf = (query: CostQuery) => {
  const { from, to, provider, service, accountId, source, subAccountId, workspaceId } = query
  return {
    state: ['open', 'acknowledged', 'expected', 'resolved'] as const,
    from,
    to,
    ...(provider && { provider }),
    ...(service && { service }),
    ...(accountId && { accountId }),
    ...(source && { source }),
    ...(subAccountId && { subAccountId }),
    ...(workspaceId && { workspaceId }),
  }
}

export async function readSeries(
  tenant: Tenant,
  stand: Stand,
  query: CostQuery & Pick<SeriesQueryFields, 'groupBy' | 'granularity' | 'top'>,
): Promise<SeriesBody> {
  const { groupBy = 'service', granularity = 'day', top = 10 } = query
  const of = { groupBy, granularity, top }
  const series = await costSeries(tenant, { ...readOf(tenant.organizationId, stand, query), ...of })
  const frame = await frameOf(tenant, stand, query)
  const ids = groupBy === 'workspace' ? series.groups.map(({ key }) => Number(key)) : []
  const names = await namesOfWorkspaces(tenant, ids.filter(Number.isInteger))
  const sources = groupBy === 'account' ? series.groups.map(({ key }) => Number(key)) : []
  const sourceNames = await namesOfSources(tenant, sources.filter(Number.isInteger))
  return presentSeries(frame, series, { ...of, names, sourceNames })
}

async function frameOf(tenant: Tenant, stand: Stand, query: CostQuery): Promise<CostFrame> {
  const [found, rates] = await Promise.all([
    freshness(tenant),
    ratesIn(tenant, query, stand.currency),
  ])
  return { stand, query, freshness: found, rates }
}
