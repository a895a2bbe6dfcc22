import type { Knex } from 'knex'

/**
 * Of two workspaces that hold a resource, the one that began later owns it. A resize or `state mv` ends a row and
 * begins another, but the workspace has held the resource all the while (docs/ownership.md).
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table workspace_resources
      -- The day and the id of the row with which the unbroken holding began; null where that is this row.
      add column holding_from date,
      add column holding_id integer`)
  await fillHoldings(knex)
}

/**
 * A row that began on the last day of the one before continues it. A resource that was absent from a version of that
 * same day looks the same. Where another workspace may have held the resource, its cost is summed again.
 */
export async function fillHoldings(knex: Knex): Promise<void> {
  await knex.raw(`
    with followed as (
      select id, organization_id, workspace_id, cloud_key, cloud_id, held_from,
        lag(held_to) over (partition by organization_id, workspace_id, cloud_key, cloud_id order by id)
          is not distinct from held_from as continues
      from workspace_resources),
    numbered as (
      select *, count(*) filter (where not continues)
        over (partition by organization_id, workspace_id, cloud_key, cloud_id order by id) as holding
      from followed),
    begun as (
      select id, continues, first_value(id) over chain as first_id, first_value(held_from) over chain as first_day
      from numbered
      window chain as (partition by organization_id, workspace_id, cloud_key, cloud_id, holding order by id)),
    filled as (
      update workspace_resources r set holding_from = b.first_day, holding_id = b.first_id
      from begun b where r.id = b.id and b.continues
      returning r.organization_id, r.workspace_id, r.name_key, r.holding_from)
    insert into cost_rebuilds as r (organization_id, workspace_id, since)
    select f.organization_id, f.workspace_id, min(f.holding_from) from filled f
    where exists (select from workspace_resources o where o.organization_id = f.organization_id
        and o.name_key = f.name_key and o.workspace_id <> f.workspace_id)
      and exists (select from billing_slices s where s.organization_id = f.organization_id and s.has_charges)
    group by 1, 2
    on conflict (organization_id, workspace_id) do update
      set since = least(r.since, excluded.since), version = r.version + 1`)
}
