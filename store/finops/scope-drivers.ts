import { unwrap, type Tenant } from '../driver/tenant.ts'
import type { AnomalyDriver } from './anomalies.ts'
import { driverLength } from './anomaly-drivers.ts'
import { cutText } from './cut-text.ts'

type At = { id: number; baselineFrom: string; tagKey: string | null }

/**
 * What rose in an anomaly of an organization's whole cost or of a tag, as `anomalyDrivers` of a service. Of the
 * sums alone, with the values of one tag: the charges of all services of half a month can be millions, so neither SKUs nor resources are named.
 */
export async function scopeDrivers(
  tenant: Tenant,
  { id, baselineFrom, tagKey }: At,
): Promise<AnomalyDriver[]> {
  const { db, organizationId } = unwrap(tenant)
  const { rows } = await db.raw(driversOf, { organizationId, id, baselineFrom, tagKey })
  return (
    rows as Array<Omit<AnomalyDriver, 'amount' | 'share'> & { amount: string; share: string }>
  ).map((row) => ({ ...row, amount: Number(row.amount), share: Number(row.share) }))
}

const amountOf = `case when c.day >= a.first_day then c.effective
  else -c.effective * a.days / greatest(1, a.baseline_days) end as amount`

const ofDays = `c.organization_id = :organizationId and c.slice_id = l.id
  and c.day between :baselineFrom::date and a.last_day and c.currency = a.currency
  and c.charge_category = 'Usage' and c.charge_class is null`

const driversOf = `
  with anomaly as materialized (
    select s.scope_kind, s.scope_key, s.scope_value, s.currency, a.first_day, a.last_day, a.impact,
      a.last_day - a.first_day + 1 as days, a.first_day - :baselineFrom::date as baseline_days
    from anomalies a join anomaly_series s on s.organization_id = a.organization_id and s.id = a.series_id
    where a.organization_id = :organizationId and a.id = :id),
  slices as materialized (
    select l.id from anomaly a join billing_slices l on l.organization_id = :organizationId and l.is_current
        and l.first_day <= a.last_day and l.last_day >= :baselineFrom::date
      join billing_sources b on b.organization_id = l.organization_id and b.id = l.source_id
        and b.removed_at is null),
  costs as materialized (
    select c.region, c.sub_account_id, ${amountOf}
    from anomaly a cross join slices l join cost_daily c on ${ofDays} where a.scope_kind = 'total'
    union all
    select c.region, c.sub_account_id, ${amountOf}
    from anomaly a cross join slices l join cost_tag_daily c on ${ofDays}
      and c.key_hash = hashtext(a.scope_key) and c.tag_key = a.scope_key and c.tag_value = a.scope_value
    where a.scope_kind = 'tag'),
  tags as (
    select c.tag_key || '=' || c.tag_value as value, ${amountOf}
    from anomaly a cross join slices l join cost_tag_daily c on ${ofDays}
      and c.key_hash = hashtext(:tagKey::text) and c.tag_key = :tagKey::text
    where a.scope_kind = 'total'),
  excess as (
    select 'tag' as dimension, 1 as place, value, sum(amount) as amount from tags group by 3
    union all select 'subAccount', 2, sub_account_id, sum(amount) from costs group by 3
    union all select 'region', 3, region, sum(amount) from costs group by 3)
  select e.dimension, ${cutText('e.value', driverLength)} as value, trim_scale(round(e.amount, 12))::text as amount,
    round(least(1, e.amount / greatest(a.impact, 0.000001)), 4)::text as share
  from excess e, anomaly a where e.value is not null and e.amount > 0.000001
  order by round(least(1, e.amount / greatest(a.impact, 0.000001)), 1) desc, e.place, e.amount desc limit 3`
