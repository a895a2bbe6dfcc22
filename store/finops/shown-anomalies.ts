import { notFound } from '../../domain/errors.ts'
import {
  scopeOf,
  type AnomalyScope,
  type ScopeOfSeries,
} from '../../domain/finops/anomalies/anomaly-scope.ts'
import { driversOfAccounts } from '../../domain/finops/anomalies/drivers-of-accounts.ts'
import type { AnomalyState } from '../../domain/finops/anomalies/anomaly-state.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import type { RunOrigin } from '../../domain/runs/run-origin.ts'
import type { AnomalyDriver, StoredAnomaly } from './anomalies.ts'
import { camelRows } from './camel-rows.ts'
import { inEachCase } from './cost/cost-rows.ts'
import { withinMonth, withinSearch } from './cost/within-window.ts'
import {
  countAnomalies,
  firstDay,
  mostOfAnomaly,
  selectAnomalies,
  selectPage,
} from './select-anomalies.ts'

/** A place in the list, newest first. */
export type AnomalyPlace = { firstDay: string; id: number }

export type AnomalyFilters = {
  state?: readonly AnomalyState[]
  provider?: readonly string[]
  service?: readonly string[]
  accountId?: readonly number[]
  /** The name of an upload. */
  source?: readonly string[]
  /** An empty text finds those of no sub-account. */
  subAccountId?: readonly string[]
  workspaceId?: readonly number[]
  /** Days: an anomaly that touches them. */
  from?: string
  to?: string
}

export type AnomalyChild = {
  id: number
  subAccountId: string | null
  firstDay: string
  lastDay: string
  day: string
  expected: number
  actual: number
  impact: number
}

/** A run that may have caused it. */
export type AnomalyRun = {
  /** Of its pipeline. */
  runId: number
  pipelineId: number
  number: number
  workspaceId: number
  workspaceName: string
  /** ISO 8601. */
  appliedAt: string
  authorId: number | null
  /** Null without one, or if they are deprovisioned. */
  authorLabel: string | null
  origin: RunOrigin
  /** In the anomaly's currency; null where the plan did not know, or no rate is there. */
  predictedDelta: number | null
  because: 'resource' | 'account'
  rise: number
}

/** As it is shown: with the figures of those below it. */
export type ShownAnomaly = StoredAnomaly & {
  /** Null where it is of a scope. */
  provider: string | null
  service: string | null
  scope: AnomalyScope | null
  currency: string
  accountId: number | null
  source: string | null
  subAccountId: string | null
  drivers: AnomalyDriver[]
  /** The dearest. */
  children: AnomalyChild[]
  /** How many are below it. */
  childCount: number
  /** The likeliest first. */
  runs: AnomalyRun[]
}

type Row = Omit<ShownAnomaly, 'scope'> &
  ScopeOfSeries & { ownSubAccountId: string | null; ownImpact: string }
type PageRow = Row & { found: string; place: string; bytes: string }

/** At most so many and so many bytes of JSON, and at least one. */
export type AnomalyBounds = { limit: number; mostBytes?: number }
/** The answer is up to twice as large: drivers have the names of sub-accounts once more. */
const pageBytes = 393_216

const withAccounts = ({
  ownSubAccountId,
  ownImpact,
  scopeKind,
  scopeKey,
  scopeValue,
  ...anomaly
}: Row): ShownAnomaly => {
  const own = { subAccountId: ownSubAccountId, impact: Number(ownImpact) }
  const { drivers, children, impact } = anomaly
  return {
    ...anomaly,
    scope: scopeOf({ scopeKind, scopeKey, scopeValue }),
    drivers: driversOfAccounts(drivers, own, { children, whole: Number(impact) }),
  }
}

/** The anomalies of one organization as people see them. Those of a removed source are gone. */
export function shownAnomalies(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  const ask = async <T>(sql: string, values: Record<string, unknown>): Promise<T[]> =>
    camelRows<T>((await db.raw(sql, { organizationId, ...mostOfAnomaly, ...values })).rows)
  const find = async (id: number): Promise<ShownAnomaly | undefined> =>
    (await ask<Row>(selectAnomalies('a.id = :id'), { id })).map(withAccounts)[0]

  /** Newest first; those after the place `after`, whether or not one is there still. */
  const newest = async (
    filters: AnomalyFilters,
    { limit, mostBytes = pageBytes }: AnomalyBounds,
    { after, isLast = false }: { after?: AnomalyPlace | undefined; isLast?: boolean },
  ): Promise<{ anomalies: ShownAnomaly[]; found: number }> => {
    const asked = askedOf(filters, after)
    const rows = await withinSearch(
      tenant,
      async () => ask<PageRow>(selectPage(asked.where), { ...asked.values, limit, mostBytes }),
      { isLast },
    )
    const anomalies = rows.map(({ found: _, place: __, bytes: ___, ...row }) => withAccounts(row))
    return { anomalies, found: Number(rows[0]?.found ?? 0) }
  }

  return {
    /** One by its id, also one that is below another. */
    async get(id: number): Promise<ShownAnomaly> {
      const found = await find(id)
      if (!found) throw notFound()
      return found
    },

    find,

    /** The newest ones. */
    async list(filters: AnomalyFilters, bounds: number | AnomalyBounds, after?: AnomalyPlace) {
      const most = typeof bounds === 'number' ? { limit: bounds } : bounds
      return (await newest(filters, most, { after })).anomalies
    },

    /** The same, and whether there are more, as the last statement of its transaction. */
    async page(filters: AnomalyFilters, limit: number, after?: AnomalyPlace) {
      const { anomalies, found } = await newest(
        filters,
        { limit: limit + 1 },
        { after, isLast: true },
      )
      const shown = anomalies.slice(0, limit)
      return { anomalies: shown, hasMore: found > shown.length }
    },

    /** How many match, at most `most`: for the first page. */
    async count(filters: AnomalyFilters, most: number): Promise<number> {
      const { where, values } = askedOf(filters)
      const [row] = await withinMonth(tenant, async () =>
        ask<{ count: number }>(countAnomalies(where), { ...values, most }),
      )
      return row?.count ?? 0
    },
  }
}

function askedOf(filters: AnomalyFilters, after?: AnomalyPlace) {
  const asked = Object.entries(conditions).filter(
    ([name]) => filters[name as keyof AnomalyFilters] !== undefined,
  )
  const where = ['a.parent_id is null', ...asked.map(([, condition]) => condition)]
  if (after !== undefined) where.push(afterPlace)
  return {
    where: where.join(' and '),
    values: {
      ...filters,
      ...(filters.provider && { provider: filters.provider.map((name) => name.toLowerCase()) }),
      ...(filters.subAccountId && { subAccountId: inEachCase(filters.subAccountId) }),
      ...(after !== undefined && { afterDay: after.firstDay, afterId: after.id }),
    },
  }
}

const conditions: Record<keyof AnomalyFilters, string> = {
  state: 'a.state = any(:state::text[])',
  // By the product's name or by the bill's own, in any case.
  provider: `(s.provider = any(:provider::text[]) or exists (
    select from billing_slices l, jsonb_array_elements_text(l.provider_names -> s.provider) as n (name)
    where l.organization_id = a.organization_id and l.source_id = s.source_id and l.is_current
      and lower(n.name) = any(:provider::text[])))`,
  service: 's.service = any(:service::text[])',
  accountId: 'b.cloud_account_id = any(:accountId::integer[])',
  source: 'b.name = any(:source::text[])',
  // Also of one that is shown below it. The cost of a scope is of no sub-account.
  subAccountId: `(s.source_id is not null and (coalesce(s.sub_account_id, '') = any(:subAccountId::text[]) or exists (
    select from anomalies c join anomaly_series cs on cs.organization_id = c.organization_id and cs.id = c.series_id
    where c.organization_id = a.organization_id and c.parent_id = a.id
      and coalesce(cs.sub_account_id, '') = any(:subAccountId::text[]))))`,
  from: `(a.last_day >= :from::date or exists (
    select from anomalies c
    where c.organization_id = a.organization_id and c.parent_id = a.id and c.last_day >= :from::date))`,
  to: `(a.first_day <= :to::date or exists (
    select from anomalies c
    where c.organization_id = a.organization_id and c.parent_id = a.id and c.first_day <= :to::date))`,
  // Whose resources cost something in its days. The whole cost is of no workspace.
  workspaceId: `(s.source_id is not null and exists (
    select from billing_slices l join cost_daily c on c.organization_id = l.organization_id and c.slice_id = l.id
    where l.organization_id = a.organization_id and l.source_id = s.source_id and l.is_current
      and l.first_day <= a.last_day and l.last_day >= a.first_day
      and c.day between a.first_day and a.last_day and c.provider = s.provider and c.service = s.service
      and c.workspace_id = any(:workspaceId::integer[]))
    or s.scope_kind = 'tag' and exists (
    select from billing_slices l
      join billing_sources o on o.organization_id = l.organization_id and o.id = l.source_id and o.removed_at is null
      join cost_tag_daily c on c.organization_id = l.organization_id and c.slice_id = l.id
    where l.organization_id = a.organization_id and l.is_current
      and l.first_day <= a.last_day and l.last_day >= a.first_day
      and c.day between a.first_day and a.last_day and c.key_hash = hashtext(s.scope_key)
      and c.tag_key = s.scope_key and c.tag_value = s.scope_value
      and c.workspace_id = any(:workspaceId::integer[])))`,
}

const afterPlace = `(${firstDay}, a.id) < (:afterDay::date, :afterId::integer)`
