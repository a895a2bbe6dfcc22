import type { Knex } from 'knex'

/** The size of a resource is confirmed from a day on, so that what it cost before is no sample of the size. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(confirmations)
  await knex.raw(dates)
  await knex.raw(replacement)
}

const confirmations = `
  -- The day on which an apply first wrote a state with these attributes; null of what persons' states say alone.
  alter table workspace_resources add column confirmed_from date;
  update workspace_resources set confirmed_from = held_from where run_id is not null`

/**
 * No row says which apply confirmed it, if a person's state brought it. The first state of a run of a later day
 * held it too, as long as the row did not end. Without one it is confirmed from the upgrade on, and not at all if
 * it ended before.
 */
const dates = `
  update workspace_resources r set confirmed_from = coalesce(k.day,
    case when r.held_to is null then (now() at time zone 'UTC')::date end)
  from (
    select h.organization_id, h.workspace_id, h.held_from, h.held_to, (
      select min((v.created_at at time zone 'UTC')::date) from state_versions v
      where v.organization_id = h.organization_id and v.workspace_id = h.workspace_id and v.status = 'finalized'
        and v.workspace_run_id is not null and (v.created_at at time zone 'UTC')::date > h.held_from
        and coalesce((v.created_at at time zone 'UTC')::date < h.held_to, true)) as day
    from (select distinct organization_id, workspace_id, held_from, held_to from workspace_resources
      where is_confirmed and run_id is null) h) k
  where r.is_confirmed and r.run_id is null and r.organization_id = k.organization_id
    and r.workspace_id = k.workspace_id and r.held_from = k.held_from and r.held_to is not distinct from k.held_to`

const replacement = `
  -- Nothing reads is_confirmed any more. It stays, since an API of the version before may still store the state of an
  -- apply while the upgrade is under way; what it confirms then, the next apply confirms anew.
  drop index workspace_resources_unconfirmed;
  create index workspace_resources_unconfirmed on workspace_resources (organization_id, workspace_id)
    where held_to is null and confirmed_from is null;

  -- The prices are learned anew.
  update price_learnings set learned_version = null, claimed_version = 0`
