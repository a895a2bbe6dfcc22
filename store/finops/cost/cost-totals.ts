import { daysOf } from '../../../domain/finops/cost-query.ts'
import { unwrap, type Tenant } from '../../driver/tenant.ts'
import {
  bindingsOf,
  converted,
  costRows,
  owned,
  readSettings,
  tagRows,
  unconvertedOf,
  withShownKey,
  type CostRead,
} from './cost-rows.ts'
import { dayRows } from './day-rows.ts'
import { withMergedSlices } from './with-merged-slices.ts'
import { withinWindow } from './within-window.ts'

/** Sums of a window. Amounts are exact decimal text. */
export type CostTotals = {
  total: string
  /** Dearest first; at the end the sum of those past the most that are shown, both of them `others`. */
  services: Array<{ provider: string; service: string; amount: string }>
  /** Likewise. */
  clouds: Array<{ provider: string; amount: string }>
  /** Without a provider: of all. Of as many providers as there is room for; the rest of a day is of `others`. */
  days: Array<{ day: string; provider: string | null; amount: string }>
  owners: Array<{
    owner: 'workspace' | 'unmanaged' | 'none'
    workspaceId: number | null
    amount: string
  }>
  /** Of workspaces past the most that are shown. */
  ownerRest: { workspaces: number; amount: string } | undefined
  unconverted: Array<{ currency: string; amount: string }>
  /** Null where the bills have no tags. */
  tagKey: string | null
  tags: Array<{ value: string; amount: string }>
  /** Of those past the most that are shown. */
  tagRest: { tags: number; amount: string } | undefined
  untagged: string
}

type Row = { of: string; a: string | null; b: string | null; n: number; amount: string }

/** A bill can name any number of tags, services and providers. */
const limits = { maxTags: 1_000, maxServices: 1_000, maxProviders: 200, maxWorkspaces: 500 }
/** Of their names in one answer, as JSON. A tag stands with its key. */
const byteLimits = { maxTagBytes: 262_144, maxServiceBytes: 262_144, maxProviderBytes: 65_536 }
/** Of providers, in all days of one answer. */
const maxAmountsByDay = 10_000
const maxProviderBytesByDay = 524_288
/** The name of what is past the most that are shown. */
const others = '(other)'

/**
 * All sums of one query in one statement, so that they are of the same moment. Without `withTags` no tag is read:
 * there is none, and all cost is untagged.
 */
export async function costTotals(
  tenant: Tenant,
  read: CostRead,
  { withTags = true }: { withTags?: boolean } = {},
): Promise<CostTotals> {
  const { db } = unwrap(tenant)
  await db.raw(readSettings)
  const days = daysOf(read.query).length
  const at = {
    ...bindingsOf(read),
    ...limits,
    ...byteLimits,
    maxDaily: Math.min(limits.maxProviders, Math.floor(maxAmountsByDay / days)),
    maxDailyBytes: Math.floor(maxProviderBytesByDay / days),
    others,
  }
  const rows = await withinWindow(
    tenant,
    async (): Promise<Row[]> => (await db.raw(totalsOf(read, withTags), at)).rows,
  )
  const of = (kind: string): Row[] => rows.filter((row) => row.of === kind)
  const one = (kind: string): string => of(kind)[0]?.amount ?? '0'
  const [rest] = of('tag rest')
  const [ownerRest] = of('owner rest')
  return {
    total: one('total'),
    services: of('service').map(({ a, b, amount }) => ({
      provider: a ?? '',
      service: b ?? '',
      amount,
    })),
    clouds: of('cloud').map(({ a, amount }) => ({ provider: a ?? '', amount })),
    days: of('day').map(({ a, b, amount }) => ({ day: a ?? '', provider: b, amount })),
    owners: of('owner').map(({ a, b, amount }) => ({
      owner: a === 'workspace' || a === 'unmanaged' ? a : 'none',
      workspaceId: b === null ? null : Number(b),
      amount,
    })),
    ownerRest:
      ownerRest && ownerRest.n > 0
        ? { workspaces: ownerRest.n, amount: ownerRest.amount }
        : undefined,
    unconverted: of('unconverted').map(({ a, amount }) => ({ currency: a ?? '', amount })),
    tagKey: of('tag key')[0]?.a ?? null,
    tags: of('tag').map(({ a, amount }) => ({ value: a ?? '', amount })),
    tagRest: rest && rest.n > 0 ? { tags: rest.n, amount: rest.amount } : undefined,
    untagged: one('untagged'),
  }
}

/** Rows are converted after they were summed by month and currency: rates are one a month. */
const totalsOf = ({ query }: CostRead, withTags: boolean): string => `
  with ${withMergedSlices(query)},
  ${withTags ? withShownKey(query.basis) : 'shown_key as (select null::text as tag_key)'},
  costs as (${costRows(query, 'month')}),
  sums as materialized (
    select grouping(service) as of, period, currency, provider, service, owner, workspace_id, sum(amount) as amount
    from costs group by grouping sets (
      (period, currency, provider, service), (period, currency, owner, workspace_id))),
  priced as materialized (${converted('sums')}),
  day_costs as (${dayRows(query, null)}),
  day_sums as materialized (
    select period, currency, day, provider, sum(amount) as amount from day_costs group by 1, 2, 3, 4),
  days as materialized (${converted('day_sums')}),
  tag_costs as (${tagRows(query, '(select tag_key from shown_key)', 'month')} ${withTags ? '' : 'limit 0'}),
  tag_sums as materialized (
    select period, currency, tag_value, sum(amount) as amount from tag_costs group by 1, 2, 3),
  tags as materialized (
    select tag_value, sum(value) as amount, row_number() over (order by sum(value) desc, tag_value) as place
    from (${converted('tag_sums')}) t where value is not null group by tag_value),
  total as materialized (select coalesce(sum(value), 0) as amount from days),
  services as materialized (
    select provider, service, sum(value) as amount,
      row_number() over (order by sum(value) desc, provider, service) as place
    from priced where of = ${ofService} and value is not null group by provider, service),
  clouds as materialized (
    select provider, sum(amount) as amount, row_number() over (order by sum(amount) desc, provider) as place
    from services group by provider),
  shown_tags as materialized (${shownOf('tags', ['(select tag_key from shown_key)', 'tag_value'], 'Tag')}),
  shown_services as materialized (${shownOf('services', ['provider', 'service'], 'Service')}),
  shown_clouds as materialized (${shownOf('clouds', ['provider'], 'Provider')}),
  owners as materialized (
    select owner, workspace_id, sum(value) as amount,
      row_number() over (partition by owner order by sum(value) desc, workspace_id) as place
    from (${owned(`(select * from priced where of = ${ofOwner} and value is not null)`)}) o
    group by owner, workspace_id),
  shown_days as (
    select d.day, d.value,
      case when c.place <= :maxDaily and c.bytes_so_far <= :maxDailyBytes then d.provider else :others end as provider
    from days d left join shown_clouds c on c.provider = d.provider where d.value is not null)
  ${selectTotals}`

/** SQL: those of a list that are shown, dearest first. They end by number, or by the bytes of their names. */
const shownOf = (
  list: string,
  names: readonly string[],
  kind: 'Tag' | 'Service' | 'Provider',
): string => `
  select * from (
    select *, sum(octet_length(json_build_array(${names.join(', ')})::text)) over (order by place) as bytes_so_far
    from ${list} where place <= :max${kind}s) l
  where bytes_so_far <= :max${kind}Bytes`

const isPast = (list: string): string => `place > (select count(*) from shown_${list})`

const selectTotals = `
  select 'total' as of, null as a, null as b, 0 as n, amount from total
  union all (select 'cloud', provider, null, 0, amount from shown_clouds order by place)
  union all (select 'cloud', :others, null, 0, sum(amount) from clouds
    where ${isPast('clouds')} having count(*) > 0)
  union all (select 'service', provider, service, 0, amount from shown_services order by place)
  union all (select 'service', :others, :others, 0, sum(amount) from services
    where ${isPast('services')} having count(*) > 0)
  union all (select 'day', day::text, provider, 0, sum(value) from shown_days
    group by grouping sets ((day, provider), (day)))
  union all (select 'owner', owner, workspace_id::text, 0, amount from owners
    where place <= :maxWorkspaces order by amount desc, workspace_id)
  union all select 'owner rest', null, null, count(*)::integer, coalesce(sum(amount), 0) from owners
    where place > :maxWorkspaces
  union all (select 'unconverted', currency, null, 0, amount from (${unconvertedOf('days')}) u order by currency)
  union all select 'tag key', tag_key, null, 0, 0 from shown_key
  union all (select 'tag', tag_value, null, 0, amount from shown_tags order by place)
  union all select 'tag rest', null, null, count(*)::integer, coalesce(sum(amount), 0) from tags
    where ${isPast('tags')}
  union all select 'untagged', null, null, 0,
    (select amount from total) - coalesce((select sum(amount) from tags), 0)`

// Whether the set does not group by the service.
const ofService = 0
const ofOwner = 1
