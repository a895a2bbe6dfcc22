import type { Knex } from 'knex'

/**
 * The list of cloud resources in the order of a hash of their cloud ids, and one index of all that it
 * is filtered by, whose keys contain the organization (docs/decisions/0132).
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(dropFormer)
  await knex.raw(terms)
  await knex.raw(indexes)
}

const dropFormer = `
  drop function cloud_resources_found(jsonb, integer, integer);
  drop function cloud_resource_conditions(integer, jsonb);
  drop function cloud_facet_condition(integer, text[], jsonb);
  drop index cloud_resources_facets, cloud_resources_name, cloud_resources_cloud_id_text;
  drop function cloud_facets(integer, integer, text, text, text, text, text, jsonb);
  drop function cloud_facet(integer, text, text)`

/**
 * `x` marks three characters of a text, `a` to `e` a column, `k` the key of a tag, `v` key and value, and
 * `b` one of 256 parts of the list.
 */
const terms = `
  -- The organization is the upper half, so that no key of the index is of two organizations: neither the
  -- work of a search nor its time depends on other organizations. Two values that have the same lower
  -- half are told apart by the row.
  create function cloud_term(organization integer, kind text, value text) returns bigint
    language sql immutable parallel safe
    as $$ select (organization::bigint << 32) | (hashtextextended(kind || value, 0) & 4294967295) $$;

  -- The same hash, written out: a call for each term would double the time.
  create function cloud_terms(organization integer, account integer, provider text, service text, type text,
    region text, state text, tags jsonb, name text, cloud_id text, cloud_key uuid) returns bigint[]
    language plpgsql immutable parallel safe
    as $$
  declare
    high constant bigint := organization::bigint << 32;
    lowered text := lower(cloud_id);
  begin
    if strpos(lowered, lower(name)) = 0 then
      lowered := lower(name) || E'\\n' || lowered;
    end if;
    return array(
      select high | (hashtextextended('x' || substr(lowered, i, 3), 0) & 4294967295)
        from generate_series(1, length(lowered) - 2) as i
      union all select high | (hashtextextended(facet, 0) & 4294967295)
        from unnest(array['a' || account, 'p' || provider, 's' || service, 't' || type, 'r' || region, 'e' || state,
          'b' || left(cloud_key::text, 2)]) as facet
      union all select high | (hashtextextended('k' || key, 0) & 4294967295) from jsonb_each_text(tags)
      union all select high | (hashtextextended('v' || key || '=' || value, 0) & 4294967295) from jsonb_each_text(tags));
  end $$`

const indexes = `
  alter table cloud_resources drop constraint cloud_resources_pkey, add primary key (organization_id, id);
  -- With all short columns that the list is filtered by, in the order of the list.
  drop index cloud_resources_key;
  create unique index cloud_resources_key on cloud_resources (organization_id, cloud_key, cloud_account_id)
    include (id, provider, service, type, region, state);
  create index cloud_resources_terms on cloud_resources using gin (cloud_terms(organization_id, cloud_account_id,
    provider, service, type, region, state, tags, name, cloud_id, cloud_key));

  -- New entries wait in a list (4 MB), which each search reads, until they are sorted into the index together:
  -- one by one they take five times as long. A merge leaves none of its own there. Only an owner of the index
  -- may do this.
  create function sort_in_cloud_terms() returns void
    language plpgsql security definer set search_path = public, pg_temp
    as $$ begin perform gin_clean_pending_list('cloud_resources_terms'); end $$;
  revoke execute on function sort_in_cloud_terms from public;
  grant execute on function sort_in_cloud_terms to cc_app`
