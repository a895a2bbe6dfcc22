import type { CostWindow } from '../../../domain/finops/cost-query.ts'
import {
  sourcesCompleteThrough,
  type SourceExtent,
} from '../../../domain/finops/sources-complete-through.ts'
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

/** How far the bills of an organization go. It may have any number of sources. */
export type Freshness = {
  /** The 200 that were loaded last, by id. */
  sources: SourceFreshness[]
  rest: { sources: number; completeThrough: string | null }
  /** The day up to which all sources that still deliver are complete. */
  completeThrough: string | null
}

const mostSources = 200

export async function freshness(tenant: Tenant): Promise<Freshness> {
  const { db, organizationId } = unwrap(tenant)
  const { rows } = await db.raw(selectFreshness, { organizationId, mostSources })
  // As the statement makes them. JSON has no times.
  const [{ sources, months }] = rows as [{ sources: SourceRow[]; months: MonthOfSources[] }]
  const rest = months.filter(({ isRest }) => isRest)
  return {
    sources: sources.map(({ ingestedAt, ...source }) => ({
      ...source,
      ingestedAt: ingestedAt === null ? null : new Date(ingestedAt),
    })),
    rest: {
      sources: rest.reduce((sum, { count }) => sum + count, 0),
      completeThrough: sourcesCompleteThrough(rest),
    },
    completeThrough: sourcesCompleteThrough(months),
  }
}

type SourceRow = Omit<SourceFreshness, 'ingestedAt'> & { ingestedAt: string | null }
/** The sources whose newest bill is of one month, as if they were one source. */
type MonthOfSources = SourceExtent & { isRest: boolean; count: number }

export type SourceName = Pick<SourceFreshness, 'sourceId' | 'accountId' | 'source' | 'name'>

/** Of these sources those that are there. */
export async function namesOfSources(
  tenant: Tenant,
  ids: readonly number[],
): Promise<SourceName[]> {
  if (ids.length === 0) return []
  const { db, organizationId } = unwrap(tenant)
  const { rows } = await db.raw(selectNames, { organizationId, ids: [...ids] })
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

const names = `b.id as "sourceId", b.cloud_account_id as "accountId", b.name as source, coalesce(a.name, b.name) as name`
const sourcesOfOrganization = `billing_sources b
    left join cloud_accounts a on a.organization_id = b.organization_id and a.id = b.cloud_account_id`

const selectNames = `
  select ${names} from ${sourcesOfOrganization}
  where b.organization_id = :organizationId and b.removed_at is null and b.id = any(:ids::integer[])`

const selectFreshness = `
  with of_sources as (
    select ${names}, max(s.complete_through) as "completeThrough", max(s.loaded_at) as "ingestedAt",
      max(s.period) as newest
    from ${sourcesOfOrganization}
      left join billing_slices s on s.organization_id = b.organization_id and s.source_id = b.id and s.is_current
    where b.organization_id = :organizationId and b.removed_at is null
    group by b.id, a.id),
  placed as materialized (
    select o.*, row_number() over (order by "ingestedAt" desc nulls last, "sourceId") > :mostSources as is_rest
    from of_sources o),
  months as (
    select is_rest as "isRest", newest, count(*)::integer as count,
      case when count("completeThrough") = count(*) then min("completeThrough") end as "completeThrough"
    from placed group by 1, 2)
  select
    (select coalesce(json_agg(json_build_object('sourceId', "sourceId", 'accountId', "accountId", 'source', source,
        'name', name, 'completeThrough', "completeThrough"::text, 'ingestedAt', "ingestedAt", 'newest', newest::text)
        order by "sourceId"), '[]')
      from placed where not is_rest) as sources,
    (select coalesce(json_agg(m), '[]') from months m) as months`

const selectRates = `
  select to_char(month, 'YYYY-MM') as month, base, quote, rate from exchange_rates
  where organization_id = :organizationId and quote = :currency
    and month between date_trunc('month', :from::date) and :to::date
  order by month, base`
