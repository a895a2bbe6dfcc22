import type { CostWindow } from '../../../domain/finops/cost-query.ts'
import { unwrap, type Tenant } from '../../driver/tenant.ts'

/** How far the bills of one source go. */
export type SourceFreshness = {
  sourceId: number
  accountId: number | null
  /** The name of an upload. */
  source: string | null
  name: string
  completeThrough: string | null
  /** When its newest slice was loaded. */
  ingestedAt: Date | null
  /** The month of its newest bill. */
  newest: string | null
}

export async function freshness(tenant: Tenant): Promise<SourceFreshness[]> {
  const { db, organizationId } = unwrap(tenant)
  const { rows } = await db.raw(selectFreshness, { organizationId })
  return rows
}

/** One unit of `base` is so many of the organization's currency, in the bills of a month. */
export type RateInUse = { month: string; base: string; quote: string; rate: string }

/** The rates of the bills' months in a window. */
export async function ratesIn(
  tenant: Tenant,
  { from, to }: CostWindow,
  currency: string,
): Promise<RateInUse[]> {
  const { db, organizationId } = unwrap(tenant)
  const { rows } = await db.raw(selectRates, { organizationId, currency, from, to })
  return rows
}

const selectFreshness = `
  select b.id as "sourceId", b.cloud_account_id as "accountId", b.name as source, coalesce(a.name, b.name) as name,
    max(s.complete_through)::text as "completeThrough", max(s.loaded_at) as "ingestedAt", max(s.period)::text as newest
  from billing_sources b
    left join cloud_accounts a on a.organization_id = b.organization_id and a.id = b.cloud_account_id
    left join billing_slices s on s.organization_id = b.organization_id and s.source_id = b.id and s.is_current
  where b.organization_id = :organizationId and b.removed_at is null
  group by b.id, a.id order by b.id`

const selectRates = `
  select to_char(month, 'YYYY-MM') as month, base, quote, rate from exchange_rates
  where organization_id = :organizationId and quote = :currency
    and month between date_trunc('month', :from::date) and :to::date
  order by month, base`
