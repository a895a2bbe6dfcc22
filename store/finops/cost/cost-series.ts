import type { CostGroup, CostQuery } from '../../../domain/finops/cost-query.ts'
import { unwrap, type Tenant } from '../../driver/tenant.ts'
import {
  bindingsOf,
  converted,
  costRows,
  readSettings,
  tagRows,
  unconvertedOf,
  withShownKey,
  type CostRead,
  type Grain,
} from './cost-rows.ts'
import { dayRows, keyOf, tagDayRows, wantedServiceRows } from './day-rows.ts'
import { withMergedSlices } from './with-merged-slices.ts'
import { withinWindow } from './within-window.ts'

export type SeriesRead = CostRead & {
  groupBy: CostGroup
  granularity: 'day' | 'month'
  top: number
}

/** Sums by group and point of time. Amounts are exact decimal text. */
export type CostSeries = {
  total: string
  unconverted: Array<{ currency: string; amount: string }>
  tagKey: string | null
  /** Dearest first; a key is null for what has none. */
  groups: Array<{ key: string | null; total: string; amounts: Map<string, string> }>
  rest: { groups: number; total: string; amounts: Map<string, string> }
}

type Row = {
  place: number | null
  key: string | null
  point: string | null
  groups: number
  total: string
  amount: string
}

export async function costSeries(tenant: Tenant, read: SeriesRead): Promise<CostSeries> {
  const { db } = unwrap(tenant)
  await db.raw(readSettings)
  const at = {
    ...bindingsOf(read),
    top: read.top,
    pointLength: (read.granularity === 'day' ? 'YYYY-MM-DD' : 'YYYY-MM').length,
  }
  const rows = await withinWindow(
    tenant,
    async (): Promise<Row[]> => (await db.raw(seriesOf(read), at)).rows,
  )
  const groups: CostSeries['groups'] = []
  const rest: CostSeries['rest'] = { groups: 0, total: '0', amounts: new Map() }
  const unconverted: CostSeries['unconverted'] = []
  let [total, tagKey]: [string, string | null] = ['0', null]
  for (const row of rows)
    if (row.place === null) {
      if (row.point === null) [total, tagKey] = [row.amount, row.key]
      else unconverted.push({ currency: row.point, amount: row.amount })
    } else if (row.place > read.top) {
      rest.groups = Math.max(rest.groups, row.groups)
      rest.total = row.total
      rest.amounts.set(row.point ?? '', row.amount)
    } else {
      groups[row.place - 1] ??= { key: row.key, total: row.total, amounts: new Map() }
      groups[row.place - 1]?.amounts.set(row.point ?? '', row.amount)
    }
  return { total, unconverted, tagKey, groups, rest }
}

/** SQL, of rows with all dimensions. */
const keys: Record<Exclude<CostGroup, 'tag'>, string> = {
  ...keyOf,
  provider: 'provider',
  account: 'source_id::text',
}

/** SQL: the first day of a point of time. Dates and numbers are grouped in a part of the time that texts take. */
const pointOf = { day: 'day', month: `date_trunc('month', day)::date` } as const

/**
 * Of services sums by month say which are the dearest, and only those are read by day: the rest of a day is the whole
 * of it less what is shown. Groups of 0 in all are read too, for they are left out only if they are 0 at each point.
 */
const seriesOf = ({ query, groupBy, granularity }: SeriesRead): string => `
  with ${withMergedSlices(query, groupBy)},
  ${groupBy === 'tag' ? withShownKey(query.basis) : 'shown_key as (select null::text as tag_key)'},
  sums as materialized (${sumsOf(groupBy, query, groupBy === 'service' ? 'month' : granularity)}),
  priced as materialized (${converted('sums')}),
  totals as materialized (
    select key, sum(value) as total from priced where value is not null group by key),
  wanted as materialized (
    select row_number() over ()::integer as number, w.* from (
      (select * from totals where total <> 0 order by total desc, key limit :top)
      union all select * from totals where total = 0) w),
  ${groupBy === 'service' && granularity === 'day' ? pointsOfServices(query) : pointsOfSums},
  points as materialized (
    select w.number, ${pointOf[granularity]} as point, sum(p.value) as amount
    from priced_points p join wanted w on coalesce(w.key, '') = coalesce(p.key, '') and (w.key is null) = (p.key is null)
    where p.value is not null group by 1, 2),
  places as materialized (
    select w.number, w.key, w.total, row_number() over (order by w.total desc, w.key)::integer as place
    from wanted w join (select number, bool_or(amount <> 0) as has_cost from points group by 1) p on p.number = w.number
    where w.total <> 0 or p.has_cost),
  shown as materialized (
    select g.place, g.key, g.total, p.point, p.amount
    from places g join points p on p.number = g.number where g.place <= :top),
  rest as materialized (
    select (select count(*) from totals where total <> 0)::integer
        + count(*) filter (where total = 0)::integer - count(*) filter (where place <= :top)::integer as groups,
      (select coalesce(sum(value), 0) from priced) - coalesce(sum(total) filter (where place <= :top), 0) as total
    from places)
  select place, key, left(point::text, :pointLength) as point, 1 as groups, total, amount from shown
  union all (select :top::integer + 1, null, left(p.point::text, :pointLength), r.groups, r.total, sum(p.amount)
    from rest r cross join (
      select ${pointOf[granularity]} as point, value as amount from priced_whole where value is not null
      union all select point, -amount from shown) p
    where r.groups > 0 group by p.point, r.groups, r.total)
  union all (select null, null, currency, 0, 0, amount from (${unconvertedOf('priced')}) u order by currency)
  union all select null, (select tag_key from shown_key), null, 0, 0, coalesce(sum(value), 0) from priced`

/** SQL: `priced_points` has all keys of `wanted`, and `priced_whole` all that there are. */
const pointsOfSums = `
  priced_points as (select * from priced),
  priced_whole as (select * from priced)`

const pointsOfServices = (query: CostQuery): string => `
  point_sums as materialized (
    select period, currency, key, day, sum(amount) as amount from (${wantedServiceRows(query)}) c group by 1, 2, 3, 4),
  priced_points as (${converted('point_sums')}),
  whole_sums as materialized (
    select period, currency, day, sum(amount) as amount from (${dayRows(query, null)}) c group by 1, 2, 3),
  priced_whole as (${converted('whole_sums')})`

// oxlint-disable-next-line max-params -- what is summed, and how finely
function sumsOf(groupBy: CostGroup, query: CostQuery, grain: Grain): string {
  if (groupBy === 'tag') return sumsByTag(query, grain)
  const sums = sumsBy(groupBy, query, grain)
  if (groupBy !== 'workspace') return sums
  // What a deleted workspace owned is nobody's.
  return `select s.period, s.currency, case when s.key ~ '^[0-9]' and w.id is null then 'unmanaged' else s.key end as key,
      s.day, sum(s.amount) as amount
    from (${sums}) s left join workspaces w on w.organization_id = :organizationId and w.id::text = s.key
    group by 1, 2, 3, 4`
}

// oxlint-disable-next-line max-params -- what is summed, and how finely
function sumsBy(groupBy: Exclude<CostGroup, 'tag'>, query: CostQuery, grain: Grain): string {
  const isOfDays = groupBy !== 'provider' && groupBy !== 'account'
  const rows =
    grain === 'month' ? costRows(query, grain) : dayRows(query, isOfDays ? groupBy : null)
  const key = grain === 'day' && isOfDays ? 'key' : keys[groupBy]
  return `select period, currency, ${key} as key, day, sum(amount) as amount from (${rows}) c group by 1, 2, 3, 4`
}

const shownKey = '(select tag_key from shown_key)'

/** A charge has at most one value of a key, so what is left of the whole has none: the null key. */
const sumsByTag = (query: CostQuery, grain: Grain): string => `
  with tagged as materialized (
    select period, currency, tag_value, day, sum(amount) as amount
    from (${grain === 'month' ? tagRows(query, shownKey, grain) : tagDayRows(query, shownKey)}) t group by 1, 2, 3, 4)
  select period, currency, tag_value as key, day, amount from tagged
  union all (select period, currency, null, day, sum(amount) from (
      select period, currency, day, amount from (
        ${grain === 'month' ? costRows(query, grain) : dayRows(query, null)}) c
      union all select period, currency, day, -amount from tagged) u
    group by 1, 2, 4)`
