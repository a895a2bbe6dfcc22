import type { Knex } from 'knex'

/**
 * A person who is removed and added again has a second row with the same address or user name. Who may approve a run
 * depends on both rows, and an organization with an identity provider may have removed people by the thousand.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create index users_removed_email on users (organization_id, lower(email)) where deprovisioned_at is not null;
    create index users_removed_user_name on users (organization_id, lower(user_name)) where deprovisioned_at is not null;

    -- Row-level security keeps an index on lower(…) from being used. It looks within the one organization that is set,
    -- and tells ids alone.
    create function same_people(ids integer[]) returns integer[]
      language sql stable security definer set search_path = public, pg_temp
      as $$
        with person as (
          select id, deprovisioned_at, array[lower(email), lower(user_name)] as names
          from users where organization_id = current_setting('cc.organization_id')::integer and id = any(ids))
        select array(
          select id from person
          union select gone.id from person join users gone
            on gone.organization_id = current_setting('cc.organization_id')::integer
              and gone.deprovisioned_at is not null
              and (lower(gone.email) = any(person.names) or lower(gone.user_name) = any(person.names))
          union select back.id from person join users back
            on person.deprovisioned_at is not null
              and back.organization_id = current_setting('cc.organization_id')::integer
              and back.deprovisioned_at is null
              and (lower(back.email) = any(person.names)
                or lower(coalesce(back.user_name, back.email)) = any(person.names))) $$;
    revoke execute on function same_people from public;
    grant execute on function same_people to cc_app`)
}
