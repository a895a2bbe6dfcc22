import { recentDays } from '../../domain/finops/recent-days.ts'
import { askNamed } from '../driver/ask-prepared.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

/** What the current bills have of a resource. */
export type BilledResource = {
  cloudId: string
  /** The last day with a charge. */
  lastDay: string
  /** Effective cost of the last 30 days; null where it is in several currencies and one of them has no rate. */
  cost: number | null
  /** The organization's, or the bill's where there is no rate. */
  currency: string
}

/** The resources among these that the current bills have, by cloud id. */
export async function resourcesInBills(
  tenant: Tenant,
  cloudIds: readonly string[],
  currency: string,
): Promise<Map<string, BilledResource>> {
  if (cloudIds.length === 0) return new Map()
  const { db, organizationId } = unwrap(tenant)
  const query = db.raw(select, { organizationId, currency, ids: [...cloudIds] })
  const rows = await askNamed<BilledResource & { cost: string | null }>(
    db,
    'resources-in-bills',
    query,
  )
  return new Map(
    rows.map((row) => [row.cloudId, { ...row, cost: row.cost === null ? null : Number(row.cost) }]),
  )
}

/**
 * The keys are made first: under row-level security, a condition that calls a function of another table's column is no
 * condition of an index, and each look read all that the bills have.
 */
const select = `
  with asked as materialized (
    select distinct cloud_id, md5(cloud_name(cloud_id))::uuid as name_key from unnest(:ids::text[]) as i (cloud_id)),
  billed as (
    select g.cloud_id, c.last_day, c.currency, a.amount,
      case when c.currency = :currency then a.amount else a.amount * r.rate end as value
    from asked g
      join cost_resources c on c.organization_id = :organizationId and c.name_key = g.name_key
        and billed_cloud_id(c.resource_id, c.provider, c.service, c.sub_account_id, c.region) = g.cloud_id
      join billing_slices s on s.organization_id = :organizationId and s.id = c.slice_id and s.is_current
      join billing_sources b on b.organization_id = :organizationId and b.id = s.source_id and b.removed_at is null
      cross join lateral (
        select coalesce(sum(effective), 0) as amount from unnest(c.recent_days, c.recent_effective) as d (day, effective)
        where d.day >= (now() at time zone 'utc')::date - ${recentDays}) a
      left join exchange_rates r on r.organization_id = :organizationId and r.quote = :currency
        and r.month = s.period and r.base = c.currency),
  sums as (
    select cloud_id, max(last_day)::text as last_day, sum(value) as value, sum(amount) as amount,
      coalesce(bool_or(value is null) filter (where amount <> 0), false) as lacks_rate,
      min(currency) filter (where amount <> 0) as first_currency,
      max(currency) filter (where amount <> 0) as last_currency
    from billed group by cloud_id)
  select cloud_id as "cloudId", last_day as "lastDay",
    (case when not lacks_rate then coalesce(value, 0) when first_currency = last_currency then amount end)::text as cost,
    case when lacks_rate and first_currency = last_currency then first_currency else :currency end as currency
  from sums`
