import type { BilledGroup } from '../../domain/finops/learned-price.ts'
import { decisiveAttributes, placeAttributes } from '../../domain/finops/decisive-attributes.ts'
import { limitStatements } from '../driver/limit-statements.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import { ownersBySize } from './owners-by-size.ts'

/** A learning is the work of one organization, and is not to hold a connection for longer. */
const timeoutMs = 300_000
const maxGroups = 6_000
const maxGroupsOfType = 200

/**
 * What a month of the resources of workspaces costs by the newest 30 complete days of the bills, by type,
 * size and region. Read in one statement; no charge leaves PostgreSQL.
 *
 * - Effective cost of usage alone: no purchases, taxes, credits, refunds or corrections.
 * - The first and the last day of a resource, and the day of a change of its size, are left out: they are
 *   parts of days. What is left is a month by its days.
 * - The spread is that between weeks of resources, so that one resource which is paid by use has one too.
 * - A size counts from the day on which an apply confirmed it: what a person's state says of a resource may be made
 *   up, and what it was on the days before is not known.
 */
export async function billedGroups(tenant: Tenant, currency: string): Promise<BilledGroup[]> {
  const { db, organizationId } = unwrap(tenant)
  const { rows: slices } = await db.raw(selectSlices, { organizationId })
  if (slices.length === 0) return []
  await limitStatements(tenant, timeoutMs)
  await db.raw(settings)
  const { rows } = await db.raw(selectGroups, {
    organizationId,
    currency,
    slices: JSON.stringify(slices),
    sliceIds: slices.map(({ id }: { id: number }) => id),
    // As values, so that only the partitions of these months are looked at.
    periods: [...new Set(slices.map(({ period }: { period: string }) => period))],
    decisive: JSON.stringify(decisiveAttributes),
    places: [...placeAttributes],
    maxGroups,
    maxGroupsOfType,
  })
  return rows
}

/** As in roll-up.ts: the planner knows little of rows that were just copied, and would sort them. */
const settings = `select set_config('work_mem', '64MB', true), set_config('jit', 'off', true),
  set_config('enable_nestloop', 'off', true), set_config('enable_mergejoin', 'off', true),
  set_config('enable_sort', 'off', true), set_config('max_parallel_workers_per_gather', '2', true),
  set_config('parallel_tuple_cost', '1', true)`

/** A source whose bill ended over a month before the newest no longer says what is paid. */
const selectSlices = `
  with current_slices as (
    select s.id, s.period, s.source_id, s.first_day, s.last_day,
      max(s.complete_through) over (partition by s.source_id) as through,
      max(s.complete_through) over () as newest
    from billing_slices s
      join billing_sources b on b.organization_id = s.organization_id and b.id = s.source_id
    where s.organization_id = :organizationId and s.is_current and b.removed_at is null)
  select id, period::text, source_id as "sourceId", (through - 29)::text as "fromDay", through::text as "toDay"
  from current_slices
  where through >= newest - 31 and first_day <= through and last_day >= through - 29`

/** Five parts of six days, the newest first. */
const parts = [0, 1, 2, 3, 4]
const costOfPart = (part: number): string =>
  `sum(c.effective_cost::float8) filter (where c.day between s.to_day - ${part * 6 + 5} and s.to_day - ${part * 6})
        as cost_${part}`
const costs = parts.map((part) => `cost_${part}`)

/** Of the days of a part that a resource lived; under three they make no sample. */
const daysOf = (part: number): string =>
  `least(hi, to_day - ${part * 6}) - greatest(lo, to_day - ${part * 6 + 5}) + 1`
const samplesOfPart = (part: number): string =>
  `select number, ${part}, lo, hi, is_confirmed, lacks_rate, counts, ${daysOf(part)}, cost_${part}
    from priced where counts and ${daysOf(part)} >= 3`

/**
 * Charges of resources `s` on these days. A worker of PostgreSQL reads no CTE, so that a join with one is made by one
 * process alone: what the charges are joined with comes as an array. Each worker adds up what it read, as long as the
 * planner expects more charges than resources: by conditions of its own it would expect one.
 */
const usageOf = (array: string, days: string): string => `focus_charges c
      join unnest(${array}) as s (n integer, slice_ids integer[], resource_id text, sub_account_id text, region text,
          to_day date, lo date, hi date, first_day date, last_day date)
        on s.resource_id = c.resource_id and case when s.sub_account_id is distinct from c.sub_account_id
          or s.region is distinct from c.region_id or c.slice_id <> all(s.slice_ids) then false else ${days} end
    where c.organization_id = :organizationId and c.slice_id = any(:sliceIds::integer[])
      and c.period = any(:periods::date[]) and c.charge_category = 'Usage' and c.charge_class is null
      and c.resource_id is not null`

const selectGroups = `
  with window_slices as materialized (
    select id, period, "sourceId" as source_id, "fromDay" as from_day, "toDay" as to_day
    from jsonb_to_recordset(:slices::jsonb)
      as s (id integer, period date, "sourceId" integer, "fromDay" date, "toDay" date)),
  ${ownersBySize},
  -- A bill may name one resource in several regions, as its traffic to another one.
  lives as (
    select r.source_id, r.window_from, r.to_day, h.held_id, h.is_confirmed, min(h.from_day) as from_day,
      max(h.until_day) as until_day, min(r.first_day) as first_day, max(r.last_day) as last_day, max(r.region) as region_id
    from holds h join resources r on r.number = h.number
    group by 1, 2, 3, 4, 5),
  lived as materialized (
    select row_number() over ()::integer as n, l.source_id, l.held_id, l.to_day, w.type, w.attributes,
      l.is_confirmed,
      case when lower(l.region_id) not in ('', 'global', 'aws-global')
        then lower(replace(l.region_id, ' ', '')) end as region,
      greatest(l.first_day + 1, l.from_day + 1, l.window_from) as lo,
      least(l.last_day - 1, l.until_day - 1, l.to_day) as hi
    from lives l join workspace_resources w on w.organization_id = :organizationId and w.id = l.held_id
    where l.from_day <= l.to_day and l.until_day > l.window_from),
  named_lives as materialized (
    select s.n, l.slice_ids, r.resource_id, r.sub_account_id, r.region, s.to_day, s.lo, s.hi,
      null::date as first_day, null::date as last_day
    from lived s join (select source_id, array_agg(id) as slice_ids from window_slices group by 1) l
        on l.source_id = s.source_id
      join holds h on h.held_id = s.held_id and h.is_confirmed = s.is_confirmed
      join resources r on r.number = h.number and r.source_id = s.source_id),
  sums as materialized (
    select s.n, c.period, c.billing_currency, min(c.day) as first_day, max(c.day) as last_day,
      ${parts.map((part) => costOfPart(part)).join(', ')}
    from ${usageOf('(select array_agg(l) from named_lives l)', 'c.day between s.lo and s.hi')}
    group by 1, 2, 3),
  -- Taxes and credits may be of days on which the resource was not there, and would make its first and last
  -- day of usage whole ones. Mostly there are none, and then no charge is read again.
  trimmed as materialized (
    select s.n, min(m.first_day) as first_day, max(m.last_day) as last_day,
      case when min(m.first_day) > s.lo then min(m.first_day) + 1 else s.lo end as lo,
      case when max(m.last_day) < s.hi then max(m.last_day) - 1 else s.hi end as hi
    from lived s join sums m on m.n = s.n group by s.n, s.lo, s.hi),
  untrimmed as materialized (
    select s.n, s.slice_ids, s.resource_id, s.sub_account_id, s.region, s.to_day, t.lo, t.hi, t.first_day, t.last_day
    from trimmed t join named_lives s on s.n = t.n where t.lo <> s.lo or t.hi <> s.hi),
  cut as materialized (
    select s.n, c.period, c.billing_currency,
      ${parts.map((part) => costOfPart(part)).join(', ')}
    from ${usageOf(
      '(select array_agg(u) from untrimmed u)',
      'c.day between s.first_day and s.last_day and (c.day < s.lo or c.day > s.hi)',
    )}
    group by 1, 2, 3),
  rated as (
    select m.*, case when m.billing_currency = :currency then 1 else r.rate::float8 end as rate
    from (select n, period, billing_currency, ${costs.join(', ')} from sums
        union all select n, period, billing_currency, ${costs.map((cost) => `-${cost}`).join(', ')} from cut) m
      left join exchange_rates r on r.organization_id = :organizationId
        and r.month = m.period and r.base = m.billing_currency and r.quote = :currency),
  costs as materialized (
    select n, bool_or(rate is null) as lacks_rate,
      ${costs.map((cost) => `coalesce(sum(${cost} * rate), 0) as ${cost}`).join(', ')}
    from rated group by 1),
  shapes as materialized (select distinct type, attributes, region from lived),
  kinds as materialized (
    select k.type, k.attributes, coalesce(jsonb_object_agg(
        case when k.type = 'terraform_data' then 'input.' else '' end || e.key, e.value)
        filter (where e.key is not null), '{}') as match
    from (select distinct type, attributes from shapes) k left join lateral jsonb_each(k.attributes) e
      on coalesce(jsonb_exists(:decisive::jsonb -> k.type, e.key), not e.key = any(:places::text[]))
    where k.type ~ '^[A-Za-z][A-Za-z0-9]*_[A-Za-z0-9_-]{1,120}$'
    group by 1, 2),
  -- Numbers in place of texts and objects, by which as many samples are sorted as there are weeks of resources.
  numbered as materialized (
    select row_number() over ()::integer as number, k.type, k.match, k.region from (
      select distinct k.type, k.match, s.region from kinds k
        join shapes s on s.type = k.type and s.attributes = k.attributes
      -- Such data carries any values: without a size it says nothing of a price.
      where k.type <> 'terraform_data' or k.match <> '{}') k),
  group_of as materialized (
    select s.type, s.attributes, s.region, g.number
    from shapes s join kinds k on k.type = s.type and k.attributes = s.attributes
      join numbered g on g.type = k.type and g.match = k.match and coalesce(g.region, '') = coalesce(s.region, '')),
  priced as materialized (
    select g.number, s.to_day, s.is_confirmed, t.lo, t.hi, c.lacks_rate,
      s.is_confirmed and not c.lacks_rate as counts, ${costs.map((cost) => `c.${cost}`).join(', ')}
    from lived s join costs c on c.n = s.n join trimmed t on t.n = s.n
      join group_of g on g.type = s.type and g.attributes = s.attributes
        and coalesce(g.region, '') = coalesce(s.region, '')),
  samples as materialized (
    select number, -1 as part, lo, hi, is_confirmed, lacks_rate, counts, hi - lo + 1 as days, ${costs.join(' + ')} as cost
    from priced
    ${parts.map((part) => `union all ${samplesOfPart(part)}`).join('\n    ')}),
  groups as (
    select number, bool_or(lacks_rate) as lacks_rate, not bool_or(is_confirmed) as is_unconfirmed,
      not bool_and(is_confirmed) as has_unconfirmed,
      count(*) filter (where part = -1 and days >= 3 and counts) as sample_size,
      percentile_cont(array[0.1, 0.5, 0.9]) within group (order by cost / days * 365 / 12)
        filter (where part = -1 and days >= 3 and counts) as of_all,
      percentile_cont(array[0.1, 0.9]) within group (order by cost / days * 365 / 12)
        filter (where part >= 0 and days >= 3 and counts) as of_parts,
      coalesce(min(lo) filter (where is_confirmed), min(lo)) as from_day,
      coalesce(max(hi) filter (where is_confirmed), max(hi)) as to_day,
      sum(cost / days * 365 / 12) filter (where part = -1 and days > 0 and is_confirmed) as total
    from samples group by 1),
  ranked as (
    select g.*, k.type, k.match, k.region,
      row_number() over (partition by k.type order by g.total desc nulls last, k.match::text, k.region) as place
    from groups g join numbered k on k.number = g.number)
  select split_part(type, '_', 1) as provider, type as "resourceType", match, region,
    sample_size::integer as "sampleSize", round(of_all[2]::numeric, 6)::text as "monthlyPrice",
    case when of_all[2] > 0 then round(greatest(of_all[3] - of_all[1], of_parts[2] - of_parts[1])::numeric
      / of_all[2]::numeric, 4)::float8 end as spread,
    lacks_rate as "lacksRate", is_unconfirmed as "isUnconfirmed", has_unconfirmed as "hasUnconfirmed",
    from_day::text as from, greatest(from_day, to_day)::text as to
  from ranked where place <= :maxGroupsOfType
  order by total desc nulls last, type, match::text, region limit :maxGroups`
