import type { ScopeOfSeries } from '../../domain/finops/anomalies/anomaly-scope.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import { camelRows } from './camel-rows.ts'
import { inPages } from './in-pages.ts'

/** Of one service of a source, or of a scope (store/finops/scope-series.ts). */
export type AnomalySeries = ScopeOfSeries & {
  id: number
  sourceId: number | null
  provider: string | null
  service: string | null
  subAccountId: string | null
  currency: string
  /** The first and the last day that were scored; null before the first scoring. */
  scoredFrom: string | null
  scoredThrough: string | null
}

/** `amount` is exact decimal text. */
export type SeriesAmount = { seriesId: number; day: string; amount: string }

/** The daily series of cost of one organization. */
export function anomalySeries(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  const ask = async <Row>(sql: string, values: Record<string, unknown>): Promise<Row[]> =>
    camelRows((await db.raw(sql, { organizationId, ...values })).rows)

  return {
    /** From the first day of a source's bills to the last complete one. Undefined without a bill. */
    async extent(sourceId: number): Promise<{ firstDay: string; through: string } | undefined> {
      const [row] = await ask<{ firstDay: string | null; through: string | null }>(extentOf, {
        sourceId,
      })
      const { firstDay, through } = row ?? {}
      return firstDay && through && firstDay <= through ? { firstDay, through } : undefined
    },

    /** Makes the series that the source's bills have and that are not known yet. */
    async ensure(sourceId: number): Promise<void> {
      await ask(ensureOf, { sourceId })
    },

    async page(sourceId: number, after: number, limit: number): Promise<AnomalySeries[]> {
      return ask<AnomalySeries>(pageOf, { sourceId, after, limit })
    },

    /** Locks the series until the transaction ends, in one order. */
    async hold(ids: readonly number[]): Promise<void> {
      await db('anomaly_series')
        .where({ organizationId })
        .whereIn('id', ids)
        .orderBy('id')
        .forUpdate()
        .select('id')
    },

    /** What each day costs by the current bills. Days without cost are left out. */
    amounts: (
      sourceId: number,
      { ids, from, through }: { ids: readonly number[]; from: string; through: string },
    ): AsyncGenerator<SeriesAmount[]> =>
      inPages<SeriesAmount>(tenant, amountsOf, { sourceId, ids, from, through }),
  }
}

const usage = `c.charge_category = 'Usage' and c.charge_class is null`

const extentOf = `
  select min(s.first_day) as first_day, max(s.complete_through) as through
  from billing_slices s join billing_sources b on b.organization_id = s.organization_id and b.id = s.source_id
  where s.organization_id = :organizationId and s.source_id = :sourceId and s.is_current
    and b.removed_at is null`

const ensureOf = `
  insert into anomaly_series (organization_id, source_id, key, provider, service, sub_account_id, currency)
  select distinct c.organization_id, s.source_id,
    md5(jsonb_build_array(c.provider, c.service, c.sub_account_id, c.currency)::text)::uuid,
    c.provider, c.service, c.sub_account_id, c.currency
  from billing_slices s
    join cost_daily c on c.organization_id = s.organization_id and c.slice_id = s.id and ${usage}
  where s.organization_id = :organizationId and s.source_id = :sourceId and s.is_current
  on conflict (organization_id, source_id, key) do nothing`

const pageOf = `
  select a.id, a.source_id, a.provider, a.service, a.sub_account_id, a.scope_kind, a.scope_key, a.scope_value,
    a.currency, d.scored_from, d.scored_through
  from anomaly_series a, lateral (
    select min(day) as scored_from, max(day) as scored_through from anomaly_days
    where organization_id = :organizationId and series_id = a.id) d
  where a.organization_id = :organizationId and a.source_id = :sourceId and a.id > :after
  order by a.id limit :limit`

const amountsOf = `
  select a.id as series_id, c.day, sum(c.effective)::text as amount
  from billing_slices s
    join cost_daily c on c.organization_id = s.organization_id and c.slice_id = s.id and ${usage}
    join anomaly_series a on a.organization_id = s.organization_id and a.source_id = s.source_id
      and a.provider = c.provider and a.service = c.service and a.currency = c.currency
      and a.sub_account_id is not distinct from c.sub_account_id
  where s.organization_id = :organizationId and s.source_id = :sourceId and s.is_current
    and s.last_day >= :from and c.day between :from and :through and a.id = any(:ids::integer[])
  group by 1, 2`
