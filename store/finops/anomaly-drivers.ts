import { unwrap, type Tenant } from '../driver/tenant.ts'
import type { AnomalyDriver } from './anomalies.ts'
import { cutText } from './cut-text.ts'

type At = { id: number; baselineFrom: string }

/**
 * What rose in an anomaly: of each dimension the values whose daily cost is above that of the days before
 * its first day, most of the excess first, at most three. Where several explain as much, the most particular
 * one comes first: a resource says more than its region.
 */
export async function anomalyDrivers(
  tenant: Tenant,
  { id, baselineFrom }: At,
): Promise<AnomalyDriver[]> {
  const { db, organizationId } = unwrap(tenant)
  const { rows } = await db.raw(driversOf, { organizationId, id, baselineFrom })
  return (
    rows as Array<Omit<AnomalyDriver, 'amount' | 'share'> & { amount: string; share: string }>
  ).map((row) => ({ ...row, amount: Number(row.amount), share: Number(row.share) }))
}

/** Characters of a driver's value: a resource's id or a tag may have thousands. */
export const driverLength = 500

const driversOf = `
  with anomaly as materialized (
    select s.*, a.first_day, a.last_day, a.impact, a.last_day - a.first_day + 1 as days,
      a.first_day - :baselineFrom::date as baseline_days
    from anomalies a join anomaly_series s on s.organization_id = a.organization_id and s.id = a.series_id
    where a.organization_id = :organizationId and a.id = :id),
  charges as materialized (
    select coalesce(c.region_name, c.region_id) as region, coalesce(c.sku_id, c.sku_meter) as sku,
      c.resource_id as resource, c.tags,
      case when c.day >= a.first_day then c.effective_cost
        else -c.effective_cost * a.days / greatest(1, a.baseline_days) end as amount
    from anomaly a
      join billing_slices s on s.organization_id = a.organization_id and s.source_id = a.source_id
        and s.is_current and s.first_day <= a.last_day and s.last_day >= :baselineFrom::date
      join focus_charges c on c.organization_id = s.organization_id and c.slice_id = s.id
        and c.period = s.period and c.day between :baselineFrom::date and a.last_day
        and c.provider = a.provider and c.service_name = a.service and c.billing_currency = a.currency
        and c.sub_account_id is not distinct from a.sub_account_id
        and c.charge_category = 'Usage' and c.charge_class is null),
  excess as (
    select 'resource' as dimension, 1 as place, resource as value, sum(amount) as amount from charges group by 3
    union all select 'sku', 2, sku, sum(amount) from charges group by 3
    union all select 'tag', 3, t.key || '=' || t.value, sum(amount)
      from charges, jsonb_each_text(charges.tags) t group by 3
    union all select 'region', 4, region, sum(amount) from charges group by 3)
  select e.dimension, ${cutText('e.value', driverLength)} as value, trim_scale(e.amount)::text as amount,
    round(least(1, e.amount / greatest(a.impact, 0.000001)), 4)::text as share
  from excess e, anomaly a where e.value is not null and e.amount > 0
  order by round(least(1, e.amount / greatest(a.impact, 0.000001)), 1) desc, e.place, e.amount desc limit 3`
