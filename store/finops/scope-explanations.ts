import {
  explainsDaysAfter,
  explainsDaysBefore,
  partDaysBefore,
} from '../../domain/finops/anomalies/explained-excess.ts'
import type { Tenant } from '../driver/tenant.ts'
import { inPages } from './in-pages.ts'

/** A day of a service near one of its anomalies, or any flagged day of one that people said is less strict. */
export type ServiceDay = {
  seriesId: number
  sourceId: number
  currency: string
  firstDay: string
  lastDay: string
  day: string
  amount: number
  expected: number
}

/** The cost of a service near one of its anomalies, as far as it has the tag of a series. */
export type PartDay = Omit<ServiceDay, 'expected' | 'currency'> & { tagSeriesId: number }

/** The first and the last flagged day of a month of a series. */
export type FlaggedMonth = { seriesId: number; firstDay: string; lastDay: string }

/** What the anomalies of services say of the flagged days of totals and tags. */
export function scopeExplanations(tenant: Tenant) {
  const margins = {
    before: explainsDaysBefore,
    after: explainsDaysAfter,
    partBefore: partDaysBefore,
  }

  return {
    /** Of these days, and of the last day of each anomaly near them. */
    async *services(
      days: readonly string[],
      currencies: readonly string[],
    ): AsyncGenerator<ServiceDay[]> {
      if (days.length === 0) return
      const { before, after } = margins
      const values = { before, after, days: [...days], currencies: [...currencies] }
      yield* inPages<ServiceDay>(tenant, servicesOf, values)
    },

    /** Of each tag's series, from four weeks before each anomaly near its flagged days. */
    async *parts(flagged: readonly FlaggedMonth[]): AsyncGenerator<PartDay[]> {
      if (flagged.length === 0) return
      const values = { ...margins, flagged: JSON.stringify(flagged) }
      yield* inPages<PartDay>(tenant, partsOf, values)
    },
  }
}

/**
 * SQL: anomalies of services near days. A service whose excess people said is no anomaly is judged less strictly;
 * the total is not, so all of that service's excess is explained.
 */
const nearOf = (asked: string, columns: string): string => `
  near as materialized (
    select ${columns}, a.series_id, s.source_id, s.provider, s.service, s.sub_account_id, s.currency,
      a.first_day, a.last_day
    from ${asked} join anomaly_series s on s.organization_id = :organizationId and s.source_id is not null
        and s.currency = k.currency
      join billing_sources b on b.organization_id = s.organization_id and b.id = s.source_id and b.removed_at is null
      join anomalies a on a.organization_id = s.organization_id and a.series_id = s.id
    where a.last_day >= k.first_day - :after::integer and a.first_day <= k.last_day + :before::integer
    union
    select ${columns}, s.id, s.source_id, s.provider, s.service, s.sub_account_id, s.currency, k.first_day, k.last_day
    from ${asked} join anomaly_series s on s.organization_id = :organizationId and s.source_id is not null
        and s.currency = k.currency
      join billing_sources b on b.organization_id = s.organization_id and b.id = s.source_id and b.removed_at is null
    where exists (select from anomalies a where a.organization_id = s.organization_id and a.series_id = s.id
      and a.state = 'not_anomaly'))`

const servicesOf = `
  with asked as materialized (
    select c.currency, min(d.day) as first_day, max(d.day) as last_day
    from unnest(:currencies::text[]) as c (currency), unnest(:days::date[]) as d (day)
    group by c.currency, date_trunc('month', d.day)),
  ${nearOf('asked k', 'null::integer as tag_id')}
  select n.series_id, n.source_id, n.currency, n.first_day, n.last_day, d.day, d.actual::float8 as amount, d.expected
  from near n join anomaly_days d on d.organization_id = :organizationId and d.series_id = n.series_id
    and d.day between n.first_day - :before::integer and n.last_day + :after::integer
  where d.day = any(:days::date[]) or d.day = n.last_day`

const partsOf = `
  with flagged as materialized (
    select f."seriesId" as id, f."firstDay" as first_day, f."lastDay" as last_day
    from jsonb_to_recordset(:flagged::jsonb) as f ("seriesId" integer, "firstDay" date, "lastDay" date)),
  tags as materialized (
    select f.*, s.scope_key, s.scope_value, s.currency, hashtext(s.scope_key) as key_hash
    from flagged f join anomaly_series s on s.organization_id = :organizationId and s.id = f.id),
  ${nearOf('tags k', 'k.id as tag_id, k.scope_key, k.scope_value, k.key_hash')}
  select n.tag_id as tag_series_id, n.series_id, n.source_id, n.first_day, n.last_day, c.day,
    sum(c.effective)::float8 as amount
  from near n
    join billing_slices l on l.organization_id = :organizationId and l.source_id = n.source_id and l.is_current
      and l.last_day >= n.first_day - :partBefore::integer and l.first_day <= n.last_day + :after::integer
    join cost_tag_daily c on c.organization_id = :organizationId and c.slice_id = l.id
      and c.key_hash = n.key_hash and c.tag_key = n.scope_key and c.tag_value = n.scope_value
      and c.provider = n.provider and c.service = n.service and c.currency = n.currency
      and c.sub_account_id is not distinct from n.sub_account_id
      and c.day between n.first_day - :partBefore::integer and n.last_day + :after::integer
      and c.charge_category = 'Usage' and c.charge_class is null
  group by n.tag_id, n.series_id, n.source_id, n.first_day, n.last_day, c.day`
