import type { Knex } from 'knex'
import { protectTable } from '../protect-table.ts'

/** The attributes of a person that only SCIM has, and the log of SCIM requests. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- The attributes of SCIM that have no column. A key that is not there is derived from the
    -- columns when it is shown; one that was removed is there, and empty.
    alter table users add column profile jsonb not null default '{}';

    -- Every address that a person is shown with, for filters on e-mails. Immutable, so that it can be indexed.
    create function scim_emails(profile jsonb, email text) returns text[]
      language sql immutable parallel safe
      as $$ select case when profile -> 'emails' is null then array[lower(email)]
            else array(select lower(e ->> 'value') from jsonb_array_elements(profile -> 'emails') as e) end $$;
    create index users_scim_emails on users using gin (scim_emails(profile, email))
      where deprovisioned_at is null;

    -- Whoever was not provisioned is known to SCIM by their address, and nobody else may have it as user name.
    drop index users_user_name;
    create unique index users_user_name on users (organization_id, lower(coalesce(user_name, email)))
      where deprovisioned_at is null;
    create index users_external_id on users (organization_id, external_id)
      where external_id is not null and deprovisioned_at is null;
    -- The order of every SCIM list: whoever comes while it is read comes at its end.
    create index users_scim_order on users (organization_id, created_at, id) where deprovisioned_at is null;
    -- As the identity provider has it; without one a member is shown by their own name.
    alter table group_members add column display text;
    create index groups_scim_order on groups (organization_id, created_at, id);

    -- What identity providers asked and what became of it, for the administrator. Bounded by housekeeping.
    create table scim_log (
      id bigint generated always as identity primary key,
      organization_id integer not null references organizations,
      at timestamptz not null default now(),
      token_id integer,
      token_name text not null,
      method text not null,
      path text not null,
      status integer not null,
      scim_type text,
      detail text,
      target_kind text,
      target_id uuid,
      target_label text,
      changes jsonb not null default '{}',
      request_id text not null
    );
    create index scim_log_newest on scim_log (organization_id, id);
  `)
  await knex.raw(`
    -- Row-level security keeps an index on lower(…) from being used: lower() is not leakproof, so that every
    -- row of the organization would be read first. These look within the one organization that is set, as the
    -- owner of the tables, and tell ids alone.
    create function scim_users_by_user_name(wanted text) returns setof integer
      language sql stable security definer rows 1 set search_path = public, pg_temp
      as $$ select id from users where organization_id = current_setting('cc.organization_id')::integer
            and deprovisioned_at is null and lower(coalesce(user_name, email)) = lower(wanted) $$;
    create function scim_users_by_email(wanted text) returns setof integer
      language sql stable security definer rows 1 set search_path = public, pg_temp
      as $$ select id from users where organization_id = current_setting('cc.organization_id')::integer
            and deprovisioned_at is null and scim_emails(profile, email) @> array[lower(wanted)] $$;
    create function scim_groups_by_name(wanted text) returns setof integer
      language sql stable security definer rows 1 set search_path = public, pg_temp
      as $$ select id from groups where organization_id = current_setting('cc.organization_id')::integer
            and lower(display_name) = lower(wanted) $$;
    revoke execute on function scim_users_by_user_name, scim_users_by_email, scim_groups_by_name from public;
    grant execute on function scim_users_by_user_name, scim_users_by_email, scim_groups_by_name to cc_app;
  `)
  await protectTable(knex, 'scim_log', { grants: 'select, insert, delete' })
}
