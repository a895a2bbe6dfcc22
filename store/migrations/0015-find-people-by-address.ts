import type { Knex } from 'knex'

/** A sign-in by SAML finds a person by their address without reading all people of the organization. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- As those of SCIM: row-level security keeps an index on lower(…) from being used. It looks within
    -- the one organization that is set, and tells ids alone.
    create function users_by_email(wanted text) returns setof integer
      language sql stable security definer rows 1 set search_path = public, pg_temp
      as $$ select id from users where organization_id = current_setting('cc.organization_id')::integer
            and deprovisioned_at is null and lower(email) = lower(wanted) $$;
    revoke execute on function users_by_email from public;
    grant execute on function users_by_email to cc_app;
  `)
}
