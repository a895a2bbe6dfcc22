import type { CostQuery } from '../../../domain/finops/cost-query.ts'
import { unwrap, type Tenant } from '../../driver/tenant.ts'
import {
  bindingsOf,
  currenciesAtMost,
  readSettings,
  withSlices,
  type CostRead,
} from './cost-rows.ts'
import { withinWindow } from './within-window.ts'

/** Amounts are decimal text, in the organization's currency. `savings` is null where a price is not known. */
export type CommitmentSums = {
  amortised: string
  used: string
  unused: string
  savings: string | null
}
/** Texts are cut at 2,048 characters: those that are read of a bill are shorter. */
export type Commitment = CommitmentSums & {
  id: string
  name: string | null
  provider: string
  type: string | null
  category: string | null
}
export type Commitments = {
  /** As many as there is room for. */
  commitments: Commitment[]
  /** Of all, also of those that are not shown. `savings` is of those whose savings are known. */
  total: CommitmentSums & { commitments: number; withoutSavings: number }
  /** Of all commitments of the window, whichever are asked for. */
  providers: string[]
  unconverted: Array<{ currency: string; amount: string }>
}

export const commitmentOrders = ['amortised', 'unused'] as const
export type CommitmentOrder = (typeof commitmentOrders)[number]
type Shown = { sort: CommitmentOrder; limit: number }

/** Of the texts of all commitments that are shown, and of the names of providers, as JSON. */
const most = { mostBytes: 393_216, mostProviderBytes: 65_536 }
/** As those that are read of a bill (gateways/duckdb/program/line-columns.ts). */
const maxLength = 2_048

/**
 * The commitments of a window, greatest amount first. They end at the limit, or before the one with which their texts
 * would have more than `mostBytes`.
 */
export async function commitmentsOf(
  tenant: Tenant,
  read: CostRead,
  { sort, limit }: Shown,
): Promise<Commitments> {
  const { db } = unwrap(tenant)
  await db.raw(readSettings)
  const at = { ...bindingsOf(read), ...most, limit }
  return withinWindow(tenant, async () => (await db.raw(select(read, sort), at)).rows[0].found)
}

const asText = (row: string) =>
  `${['amortised', 'used', 'unused'].map((name) => `'${name}', coalesce(${row}.${name}, 0)::text`).join(', ')},
    'savings', ${row}.savings::text`

const select = ({ query }: { query: CostQuery }, sort: CommitmentOrder): string => `
  with ${withSlices(query)},
  days as materialized (
    select l.period, c.provider, c.commitment_id, c.currency, max(c.name) as name, max(c.type) as type,
      max(c.category) as category, sum(c.used) as used, sum(c.unused) as unused,
      case when count(c.saved) = count(*) then sum(c.saved - c.unused) end as savings
    from looked l join cost_commitments c on c.organization_id = :organizationId and c.slice_id = l.id
    where c.day between :from::date and :to::date
    group by l.period, c.provider, c.commitment_id, c.currency),
  priced as materialized (
    -- What is 0 needs no rate.
    select d.*, case when d.currency = :currency or d.used = 0 and d.unused = 0 and coalesce(d.savings, 0) = 0
      then 1 else r.rate end as rate
    from days d left join rates r on r.month = d.period and r.base = d.currency
    ${query.provider ? 'where d.provider in (select provider from wanted_providers)' : ''}),
  by_id as materialized (
    select provider, commitment_id, max(name) as name, max(type) as type, max(category) as category,
      sum((used + unused) * rate) as amortised, sum(used * rate) as used, sum(unused * rate) as unused,
      case when count(savings) = count(*) then sum(savings * rate) end as savings
    from priced where rate is not null group by provider, commitment_id),
  placed as materialized (
    select ${['commitment_id', 'name', 'provider', 'type', 'category'].map((text) => `left(${text}, ${maxLength}) as ${text}`).join(', ')},
      amortised, used, unused, savings, row_number() over (order by ${sort} desc, provider, commitment_id) as place
    from by_id order by ${sort} desc, provider, commitment_id limit :limit),
  summed as (
    select *, sum(octet_length(json_build_array(commitment_id, name, provider, type, category)::text))
      over (order by place) as bytes_so_far from placed),
  shown as (select * from summed where place = 1 or bytes_so_far <= :mostBytes),
  named as (
    select provider, sum(octet_length(to_json(provider)::text)) over (order by provider) as bytes_so_far
    from (select distinct provider from days) d),
  whole as (
    select sum(amortised) as amortised, sum(used) as used, sum(unused) as unused, sum(savings) as savings,
      count(*) as commitments, count(*) filter (where savings is null) as without_savings
    from by_id)
  select json_build_object(
    'commitments', (select coalesce(json_agg(json_build_object('id', s.commitment_id, 'name', s.name,
        'provider', s.provider, 'type', s.type, 'category', s.category, ${asText('s')})
        order by s.place), '[]') from shown s),
    'total', (select json_build_object(${asText('w')}, 'commitments', w.commitments,
        'withoutSavings', w.without_savings) from whole w),
    'providers', (select coalesce(json_agg(provider order by provider), '[]') from named
      where bytes_so_far <= :mostProviderBytes),
    'unconverted', (select coalesce(json_agg(json_build_object('currency', currency, 'amount', amount::text)
        order by currency), '[]')
      from (select currency, sum(used + unused) as amount from priced where rate is null
        group by currency having sum(used + unused) <> 0 order by currency limit ${currenciesAtMost}) u)
  ) as found`
