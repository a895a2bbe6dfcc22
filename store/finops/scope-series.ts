import type { ScopeOfSeries } from '../../domain/finops/anomalies/anomaly-scope.ts'
import type { ScopeSource } from '../../domain/finops/anomalies/scope-days.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import type { AnomalySeries, SeriesAmount } from './anomaly-series.ts'
import { camelRows } from './camel-rows.ts'
import { inPages } from './in-pages.ts'

/** A bill can name any number of currencies and values of a tag. Those with most cost are scored. */
const most = { mostTotals: 10, mostTags: 50 }
/** Of as many days up to the last complete one. */
const rankedDays = 30

export type WantedScope = Pick<AnomalySeries, 'currency'> & ScopeOfSeries

type Ranking = { tagKey: string | null; currency: string; through: string }
type Days = { ids: readonly number[]; from: string; through: string }

/** The daily series of an organization's whole cost and of its tags: of all sources, in one currency each. */
export function scopeSeries(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  const ask = async <Row>(sql: string, values: Record<string, unknown> = {}): Promise<Row[]> =>
    camelRows((await db.raw(sql, { organizationId, ...values })).rows)

  return {
    /** The sources that have bills. */
    async sources(): Promise<ScopeSource[]> {
      return ask<ScopeSource>(sourcesOf)
    },

    async scoredThrough(): Promise<string | null> {
      const [row] = await ask<{ day: string | null }>(scoredThroughOf)
      return row?.day ?? null
    },

    /** Each currency, and the values of the key with most cost. */
    async wanted(ranking: Ranking): Promise<WantedScope[]> {
      return ask<WantedScope>(wantedOf, { ...ranking, ...most, rankedDays })
    },

    /**
     * Makes the series of these that are not known yet. One that is not among them is deleted, unless it has
     * anomalies: its verdicts count when it comes back.
     */
    async ensure(scopes: readonly WantedScope[]): Promise<void> {
      const values = { scopes: JSON.stringify(scopes) }
      await ask(forgetOf, values)
      await ask(ensureOf, values)
    },

    /** Those of these scopes, and those with an anomaly that ends on the day or later. */
    async list(scopes: readonly WantedScope[], since: string): Promise<AnomalySeries[]> {
      return ask<AnomalySeries>(listOf, { scopes: JSON.stringify(scopes), since })
    },

    amounts: (days: Days): AsyncGenerator<SeriesAmount[]> =>
      inPages<SeriesAmount>(tenant, amountsOf(''), days),

    /** The same by source, of these alone. */
    amountsOfSources: (
      days: Days & { sourceIds: readonly number[] },
    ): AsyncGenerator<Array<SeriesAmount & { sourceId: number }>> =>
      inPages(tenant, amountsOf('source_id'), days),
  }
}

const usage = `c.charge_category = 'Usage' and c.charge_class is null`

const sourcesOf = `
  select b.id, min(s.first_day) as first_day, max(s.complete_through) as complete_through, max(s.period) as newest
  from billing_slices s join billing_sources b on b.organization_id = s.organization_id and b.id = s.source_id
  where s.organization_id = :organizationId and s.is_current and s.first_day is not null and b.removed_at is null
  group by b.id order by b.id`

const scoredThroughOf = `
  select max(d.day) as day from anomaly_series a, lateral (
    select max(day) as day from anomaly_days where organization_id = :organizationId and series_id = a.id) d
  where a.organization_id = :organizationId and a.source_id is null`

const wantedOf = `
  with slices as materialized (
    select s.id from billing_slices s
      join billing_sources b on b.organization_id = s.organization_id and b.id = s.source_id
    where s.organization_id = :organizationId and s.is_current and b.removed_at is null
      and s.first_day <= :through::date and s.last_day > :through::date - :rankedDays::integer),
  -- What is in another currency is ranked by the newest rate.
  rates as materialized (
    select distinct on (base) base, rate from exchange_rates
    where organization_id = :organizationId and quote = :currency order by base, month desc),
  totals as (
    select c.currency from slices l
      join cost_daily c on c.organization_id = :organizationId and c.slice_id = l.id and ${usage}
      left join rates r on r.base = c.currency
    where c.day > :through::date - :rankedDays::integer and c.day <= :through::date
    group by 1 order by sum(c.effective * coalesce(r.rate, 1)) desc, 1 limit :mostTotals),
  tags as (
    select c.currency, c.tag_value from slices l
      join cost_tag_daily c on c.organization_id = :organizationId and c.slice_id = l.id and ${usage}
        and c.key_hash = hashtext(:tagKey::text) and c.tag_key = :tagKey::text
      left join rates r on r.base = c.currency
    where c.day > :through::date - :rankedDays::integer and c.day <= :through::date
    group by 1, 2 having sum(c.effective) > 0
    order by sum(c.effective * coalesce(r.rate, 1)) desc, 2, 1 limit :mostTags)
  select currency, 'total' as scope_kind, null::text as scope_key, null::text as scope_value from totals
  union all select currency, 'tag', :tagKey::text, tag_value from tags`

/** md5, for a tag's value may be longer than an index takes. */
const keyed = `
  keyed as (
    select md5(jsonb_build_array("scopeKind", "scopeKey", "scopeValue", currency)::text)::uuid as key, w.*
    from jsonb_to_recordset(:scopes::jsonb)
      as w ("scopeKind" text, "scopeKey" text, "scopeValue" text, currency text))`

const forgetOf = `
  with ${keyed}
  delete from anomaly_series a
  where a.organization_id = :organizationId and a.source_id is null and a.key not in (select key from keyed)
    and not exists (select from anomalies n where n.organization_id = a.organization_id and n.series_id = a.id)`

const ensureOf = `
  with ${keyed}
  insert into anomaly_series (organization_id, key, scope_kind, scope_key, scope_value, currency)
  select :organizationId, key, "scopeKind", "scopeKey", "scopeValue", currency from keyed order by key
  on conflict (organization_id, key) where source_id is null do nothing`

const listOf = `
  with ${keyed}
  select a.id, a.source_id, a.provider, a.service, a.sub_account_id, a.scope_kind, a.scope_key, a.scope_value,
    a.currency, d.scored_from, d.scored_through
  from anomaly_series a, lateral (
    select min(day) as scored_from, max(day) as scored_through from anomaly_days
    where organization_id = :organizationId and series_id = a.id) d
  where a.organization_id = :organizationId and a.source_id is null
    and (a.key in (select key from keyed) or exists (
      select from anomalies n where n.organization_id = a.organization_id and n.series_id = a.id
        and n.last_day >= :since::date))
  order by a.id`

/** Of the current slices. Days without cost are left out. */
const amountsOf = (by: '' | 'source_id'): string => `
  with series as materialized (
    select * from anomaly_series
    where organization_id = :organizationId and source_id is null and id = any(:ids::integer[])),
  slices as materialized (
    select s.id, s.source_id from billing_slices s
      join billing_sources b on b.organization_id = s.organization_id and b.id = s.source_id
    where s.organization_id = :organizationId and s.is_current and b.removed_at is null
      and s.last_day >= :from::date and s.first_day <= :through::date
      ${by && 'and s.source_id = any(:sourceIds::integer[])'})
  select a.id as series_id, c.day, c.amount::text as amount ${by && ', c.source_id'}
  from series a join (
    select c.currency, c.day, sum(c.effective) as amount ${by && ', l.source_id'}
    from slices l join cost_daily c on c.organization_id = :organizationId and c.slice_id = l.id and ${usage}
    where c.day between :from::date and :through::date
      and exists (select from series where scope_kind = 'total')
    group by c.currency, c.day ${by && ', l.source_id'}) c on c.currency = a.currency
  where a.scope_kind = 'total'
  union all
  select a.id, c.day, c.amount::text ${by && ', c.source_id'}
  from series a join (
    select c.tag_key, c.tag_value, c.currency, c.day, sum(c.effective) as amount ${by && ', l.source_id'}
    from slices l join cost_tag_daily c on c.organization_id = :organizationId and c.slice_id = l.id and ${usage}
      and c.key_hash = any(array(select hashtext(scope_key) from series where scope_kind = 'tag'))
      and c.tag_key in (select scope_key from series where scope_kind = 'tag')
      and c.tag_value in (select scope_value from series where scope_kind = 'tag')
    where c.day between :from::date and :through::date
    group by c.tag_key, c.tag_value, c.currency, c.day ${by && ', l.source_id'}) c
    on c.tag_key = a.scope_key and c.tag_value = a.scope_value and c.currency = a.currency
  where a.scope_kind = 'tag'`
