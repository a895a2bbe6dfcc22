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
import { predictedDelta } from './predicted-delta.ts'

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

/** Of one anomaly. */
const most = { mostChildren: 20, mostRuns: 5 }

/** The anomalies of one organization as people see them. Those of a removed source are gone. */
export function shownAnomalies(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  const ask = async (where: string, values: Record<string, unknown>): Promise<ShownAnomaly[]> =>
    camelRows<Row>((await db.raw(shown(where), { organizationId, ...most, ...values })).rows).map(
      withAccounts,
    )

  return {
    /** One by its id, also one that is below another. */
    async get(id: number): Promise<ShownAnomaly> {
      const [row] = await ask('a.id = :id', { id })
      if (!row) throw notFound()
      return row
    },

    async find(id: number): Promise<ShownAnomaly | undefined> {
      return (await ask('a.id = :id', { id }))[0]
    },

    /** Newest first; those after the place `after`, whether or not one is there still. */
    async list(
      filters: AnomalyFilters,
      limit: number,
      after?: AnomalyPlace,
    ): Promise<ShownAnomaly[]> {
      const asked = Object.entries(conditions).filter(
        ([name]) => filters[name as keyof AnomalyFilters] !== undefined,
      )
      const where = ['a.parent_id is null', ...asked.map(([, condition]) => condition)]
      if (after !== undefined) where.push(afterPlace)
      return ask(`${where.join(' and ')} order by ${firstDay} desc, a.id desc limit :limit`, {
        ...filters,
        ...(filters.provider && { provider: filters.provider.map((name) => name.toLowerCase()) }),
        ...(filters.subAccountId && { subAccountId: inEachCase(filters.subAccountId) }),
        ...(after !== undefined && { afterDay: after.firstDay, afterId: after.id }),
        limit,
      })
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

/** SQL: the first day that is shown, as an index has it. `foldedAnomalies` notes that of those below. */
const firstDay = 'least(a.first_day, a.first_day_below)'

const afterPlace = `(${firstDay}, a.id) < (:afterDay::date, :afterId::integer)`

/** SQL: from the lowest to the highest. */
const severities = `array['low', 'medium', 'high']`
const placeOf = (severity: string): string => `array_position(${severities}, ${severity})`

/**
 * Day, kind and drivers are of the dearest of it and those below it: the one that is shown need not be. Amounts are what
 * all their series cost on that day, and their own whole excess. It begins with the first of them, goes on as long as
 * any, and is as severe as the most severe.
 */
const shown = (where: string): string => `
  select a.id, top.series_id, a.parent_id, top.kind, (${severities})[greatest(${placeOf('a.severity')}, k.severity)] as severity,
    a.state, ${firstDay} as first_day,
    greatest(a.last_day, k.last_day) as last_day, top.day, o.actual + k.actual as actual,
    o.expected + k.expected as expected, o.low + k.low as low, o.high + k.high as high, a.impact + k.impact as impact, a.told_impact, a.comment, a.decided_by, a.decided_at,
    a.created_at, a.updated_at, top.drivers, s.provider, s.service, s.scope_kind, s.scope_key, s.scope_value, s.currency,
    b.cloud_account_id as account_id, b.name as source,
    case when k.count = 0 then s.sub_account_id end as sub_account_id, s.sub_account_id as own_sub_account_id,
    a.impact as own_impact, k.children, k.count as child_count, r.runs
  from anomalies a
    join anomaly_series s on s.organization_id = a.organization_id and s.id = a.series_id
    left join billing_sources b on b.organization_id = s.organization_id and b.id = s.source_id
      and b.removed_at is null,
    lateral (${dearest}) top,
    lateral (${ownOfDay}) o,
    lateral (${childrenOf}) k,
    lateral (${runsOf}) r
  where a.organization_id = :organizationId and (b.id is not null or s.source_id is null) and ${where}`

const dearest = `
  select c.series_id, c.kind, c.day, c.drivers from anomalies c
  where c.organization_id = a.organization_id and c.id in (select a.id union all select l.id from anomalies l
    where l.organization_id = a.organization_id and l.parent_id = a.id)
  order by c.impact desc, c.id limit 1`

const ownOfDay = `
  select case when top.day = a.day then a.actual else coalesce(d.actual, 0) end as actual,
    case when top.day = a.day then a.expected else coalesce(d.expected, 0)::numeric end as expected,
    case when top.day = a.day then a.low else coalesce(d.low, 0)::numeric end as low,
    case when top.day = a.day then a.high else coalesce(d.high, 0)::numeric end as high
  from (values (0)) one left join anomaly_days d on d.organization_id = a.organization_id
    and d.series_id = a.series_id and d.day = top.day`

const childrenOf = `
  select count(c.id)::integer as count, max(${placeOf('c.severity')}) as severity,
    max(c.last_day) as last_day,
    coalesce(sum(c.day_actual), 0) as actual,
    coalesce(sum(c.day_expected), 0)::numeric as expected, coalesce(sum(c.day_low), 0)::numeric as low,
    coalesce(sum(c.day_high), 0)::numeric as high, coalesce(sum(c.impact), 0) as impact,
    coalesce(jsonb_agg(jsonb_build_object('id', c.id, 'subAccountId', c.sub_account_id,
      'firstDay', c.first_day, 'lastDay', c.last_day, 'day', c.day, 'expected', c.expected,
      'actual', c.actual, 'impact', c.impact) order by c.place) filter (where c.place <= :mostChildren), '[]') as children
  from (
    select c.*, cs.sub_account_id, d.actual as day_actual, d.expected as day_expected, d.low as day_low,
      d.high as day_high, row_number() over (order by c.impact desc, c.id) as place
    from anomalies c
      join anomaly_series cs on cs.organization_id = c.organization_id and cs.id = c.series_id
      left join anomaly_days d on d.organization_id = c.organization_id and d.series_id = c.series_id
        and d.day = top.day
    where c.organization_id = a.organization_id and c.parent_id = a.id) c`

/** Of those below it too. Each run with its id and number in its workspace's own pipeline. */
const runsOf = `
  select coalesce(jsonb_agg(to_jsonb(u) - 'place' order by u.place), '[]') as runs
  from (
    select p.id as "runId", p.pipeline_id as "pipelineId", p.number, w.id as "workspaceId", w.name as "workspaceName",
      t.ended_at as "appliedAt", t.author_user_id as "authorId", coalesce(o.email, o.name) as "authorLabel", t.origin,
      ${predictedDelta({ run: 't', currency: 's.currency', day: 'a.first_day' })} as "predictedDelta", n.because, n.rise, n.place
    from (
        select n.run_id, max(n.because) as because, sum(n.rise)::float8 as rise,
          row_number() over (order by sum(n.rise) desc, min(n.place), n.run_id desc) as place
        from (select a.id union all select c.id from anomalies c
            where c.organization_id = a.organization_id and c.parent_id = a.id) of (id)
          join anomaly_runs n on n.organization_id = a.organization_id and n.anomaly_id = of.id
        group by n.run_id order by place limit :mostRuns) n
      join workspace_runs t on t.organization_id = a.organization_id and t.id = n.run_id
      join workspaces w on w.organization_id = a.organization_id and w.id = t.workspace_id
      left join users o on o.organization_id = a.organization_id and o.id = t.author_user_id
        and o.deprovisioned_at is null
      cross join lateral (select p.id, p.pipeline_id, p.number from pipeline_runs p
          join pipelines l on l.organization_id = p.organization_id and l.id = p.pipeline_id
        where p.organization_id = a.organization_id and p.workspace_run_id = t.id
        order by l.managed desc, p.id limit 1) p) u`
