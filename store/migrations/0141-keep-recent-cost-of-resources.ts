import type { Knex } from 'knex'

/**
 * A list of resources shows what each cost in the last 30 days. Charges have no index by resource: one of ten
 * million charges a year would cost each ingest more than these two lists (docs/decisions/0221). Slices that end
 * earlier have none, since the 30 days only move on.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table cost_resources
      -- Beside each other: the days, in any order, and the effective cost of each.
      add column recent_days date[],
      add column recent_effective numeric(30,12)[]`)
  await fillRecent(knex)
}

export async function fillRecent(knex: Knex): Promise<void> {
  await knex.raw(`
    with by_day as (
      select c.organization_id, c.slice_id, c.resource_id, c.provider, c.service_name,
        coalesce(c.sub_account_id, '') as sub_account, coalesce(c.region_id, '') as region, c.billing_currency, c.day,
        sum(c.effective_cost) as effective
      from billing_slices s join focus_charges c on c.organization_id = s.organization_id and c.slice_id = s.id
        and c.period = s.period
      where s.state in ('loaded', 'suspect')
        and s.last_day >= (now() at time zone 'utc')::date - 30
        and c.day >= (now() at time zone 'utc')::date - 30 and c.resource_id is not null
      group by 1, 2, 3, 4, 5, 6, 7, 8, 9),
    recent as (
      select organization_id, slice_id, resource_id, provider, service_name, sub_account, region, billing_currency,
        array_agg(day) as days, array_agg(effective) as effective
      from by_day group by 1, 2, 3, 4, 5, 6, 7, 8)
    update cost_resources r set recent_days = n.days, recent_effective = n.effective
    from recent n where r.organization_id = n.organization_id and r.slice_id = n.slice_id
      and r.resource_id = n.resource_id and r.provider = n.provider and r.service = n.service_name
      and coalesce(r.sub_account_id, '') = n.sub_account and coalesce(r.region, '') = n.region
      and r.currency = n.billing_currency`)
}
