import { recentDays } from '../../domain/finops/recent-days.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import { isOwned, ownersIn } from './owners-by-day.ts'
import { rollUpCommitments } from './roll-up-commitments.ts'
import { rollUpMonths, sumSettings } from './roll-up-months.ts'

/** What was added up, to be held against what the reader counted. */
export type RolledUp = {
  charges: number
  /** Decimal text. */
  billed: string
  effective: string
  list: string
}

type Slice = { id: number; sourceId: number; period: string }

/**
 * Makes the sums of a slice out of its charges, in place of those that an attempt before this one made.
 * Nobody sees them before the slice is the current one.
 */
export async function rollUp(tenant: Tenant, slice: Slice): Promise<RolledUp> {
  const { db, organizationId } = unwrap(tenant)
  const at = { organizationId, sliceId: slice.id, sourceId: slice.sourceId, period: slice.period }
  await db.raw(sumSettings)
  for (const table of ['cost_daily', 'cost_tag_daily', 'cost_tag_keys', 'cost_resources'])
    await db.raw(
      `delete from ${table} where organization_id = :organizationId and slice_id = :sliceId`,
      at,
    )
  await db.raw(addResources, at)
  const { rows } = await db.raw(addDays('true'), at)
  await db.raw(addTagKeys, at)
  await rollUpMonths(tenant, slice.id)
  await rollUpCommitments(tenant, slice)
  await db.raw(noteSums, { ...at, names: JSON.stringify(rows[0].names) })
  const { charges, billed, effective, list } = rows[0]
  return { charges, billed, effective, list }
}

/** Makes the sums of these days anew, for owners that changed. */
export async function rollUpDays(
  tenant: Tenant,
  slice: Slice,
  days: readonly string[],
): Promise<void> {
  const { db, organizationId } = unwrap(tenant)
  const at = { organizationId, sliceId: slice.id, sourceId: slice.sourceId, period: slice.period }
  const ofDays = { ...at, days: [...days] }
  await db.raw(sumSettings)
  for (const table of ['cost_daily', 'cost_tag_daily'])
    await db.raw(
      `delete from ${table} where organization_id = :organizationId and slice_id = :sliceId
         and day = any(:days::date[])`,
      ofDays,
    )
  await db.raw(addDays('c.day = any(:days::date[])'), ofDays)
  await rollUpMonths(tenant, slice.id)
  await db.raw(raiseSumsVersion, at)
}

const ofSlice = `c.organization_id = :organizationId and c.slice_id = :sliceId and c.period = :period::date`

/** What is older than the recent days is one group of each resource, so that the inner sums stay few. */
const addResources = `
  insert into cost_resources (organization_id, slice_id, resource_id, provider, service, sub_account_id, region,
    name, type, currency, first_day, last_day, billed, effective, list, recent_days, recent_effective)
  select :organizationId, :sliceId, resource_id, provider, service_name, sub_account_id, region_id, max(name), max(type),
    billing_currency, min(first_day), max(last_day), sum(billed), sum(effective), sum(list),
    array_agg(recent_day) filter (where recent_day is not null),
    array_agg(effective) filter (where recent_day is not null)
  from (
    select c.resource_id, c.provider, c.service_name, c.sub_account_id, c.region_id, c.billing_currency,
      case when c.day >= (now() at time zone 'utc')::date - ${recentDays} then c.day end as recent_day, max(c.resource_name) as name,
      max(c.resource_type) as type, min(c.day) as first_day, max(c.day) as last_day, sum(c.billed_cost) as billed,
      sum(c.effective_cost) as effective, coalesce(sum(c.list_cost), 0) as list
    from focus_charges c where ${ofSlice} and c.resource_id is not null
    group by 1, 2, 3, 4, 5, 6, 7) d
  group by resource_id, provider, service_name, sub_account_id, region_id, billing_currency`

const dimensions = `day, provider, service, sub_account_id, region, charge_category, charge_class, owner,
  workspace_id, currency`

/**
 * One pass over the charges: first by the dimensions with all tags together, which is mostly a small part
 * of the charges, and out of that the days and each tag of them.
 */
const addDays = (which: string): string => `
  with ${ownersIn('slice_id = :sliceId')},
  grouped as materialized (
    select c.day, c.provider, c.provider_name, c.service_name as service, c.sub_account_id,
      c.region_id as region, c.charge_category, c.charge_class,
      case when c.resource_id is null then 'none' when o.workspace_id is null then 'unmanaged'
        else 'workspace' end as owner,
      o.workspace_id, c.billing_currency as currency, c.tags, count(*) as charges,
      sum(c.billed_cost) as billed, sum(c.effective_cost) as effective, coalesce(sum(c.list_cost), 0) as list
    from focus_charges c
      left join owners o on ${isOwned}
    where ${ofSlice} and ${which}
    group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
  by_day as (
    insert into cost_daily (organization_id, slice_id, source_id, ${dimensions}, billed, effective, list)
    select :organizationId, :sliceId, :sourceId, ${dimensions}, sum(billed), sum(effective), sum(list)
    from grouped group by ${dimensions}),
  by_tag as (
    insert into cost_tag_daily (organization_id, slice_id, source_id, ${dimensions}, key_hash, tag_key,
      tag_value, billed, effective, list)
    select :organizationId, :sliceId, :sourceId, ${dimensions}, hashtext(t.key), t.key, t.value,
      sum(billed), sum(effective), sum(list)
    from grouped cross join lateral jsonb_each_text(tags) as t (key, value)
    where jsonb_typeof(tags) = 'object'
    group by ${dimensions}, t.key, t.value)
  select coalesce(sum(charges), 0)::integer as charges, coalesce(sum(billed), 0)::text as billed,
    coalesce(sum(effective), 0)::text as effective, coalesce(sum(list), 0)::text as list,
    (select coalesce(jsonb_object_agg(n.provider, n.names), '{}') from (
      select provider, jsonb_agg(distinct provider_name) as names from grouped group by provider) n) as names
  from grouped`

const addTagKeys = `
  insert into cost_tag_keys (organization_id, slice_id, tag_key, currency, billed, effective, list)
  select organization_id, slice_id, tag_key, currency, sum(billed), sum(effective), sum(list)
  from cost_tag_daily where organization_id = :organizationId and slice_id = :sliceId
  group by organization_id, slice_id, tag_key, currency`

// What was merged of the sums before does not hold any more (merged-slices.ts).
const raiseSumsVersion = `
  update billing_slices set sums_version = sums_version + 1
  where organization_id = :organizationId and id = :sliceId`

const noteSums = `
  update billing_slices set provider_names = :names::jsonb, rolled_up_at = now()
  where organization_id = :organizationId and id = :sliceId`
