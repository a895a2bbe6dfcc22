import type { Knex } from 'knex'
import { protectTable } from '../protect-table.ts'

/** The resources of cloud accounts, the syncs that look for them, and the index of their list. */
export async function up(knex: Knex): Promise<void> {
  await addTables(knex)
  await addIndexes(knex)
  await addSearch(knex)
  for (const table of ['cloud_syncs', 'cloud_places', 'cloud_sync_places', 'cloud_resources'])
    await protectTable(knex, table)
  await protectTable(knex, 'cloud_resource_pages')
}

async function addTables(knex: Knex): Promise<void> {
  await knex.raw(`
    create extension if not exists pg_trgm;

    create table cloud_syncs (
      id integer generated always as identity primary key,
      organization_id integer not null,
      cloud_account_id integer not null,
      trigger text not null check (trigger in ('schedule', 'request', 'connect')),
      state text not null default 'running' check (state in ('running', 'succeeded', 'partial', 'failed')),
      -- Why it failed as a whole.
      reason text,
      coverage text check (coverage in ('full', 'tagged_only')),
      seen integer not null default 0,
      added integer not null default 0,
      changed integer not null default 0,
      gone integer not null default 0,
      started_at timestamptz not null default now(),
      ended_at timestamptz,
      unique (organization_id, id),
      foreign key (organization_id, cloud_account_id)
        references cloud_accounts (organization_id, id) on delete cascade
    );
    create index cloud_syncs_account on cloud_syncs (organization_id, cloud_account_id, id);
    -- One live sync an account: a second request joins it.
    create unique index cloud_syncs_live on cloud_syncs (cloud_account_id) where state = 'running';
    create index cloud_syncs_ended on cloud_syncs (ended_at);

    create table cloud_places (
      id integer generated always as identity primary key,
      organization_id integer not null,
      cloud_account_id integer not null,
      region text not null,
      service text not null,
      -- The last complete look at it: when its present resources were last seen.
      looked_at timestamptz,
      unique (organization_id, id),
      unique (organization_id, cloud_account_id, id),
      foreign key (organization_id, cloud_account_id)
        references cloud_accounts (organization_id, id) on delete cascade
    );
    create unique index cloud_places_place on cloud_places (organization_id, cloud_account_id, region, service);

    -- What became of each place in each sync; \`waiting\` until its pages are merged.
    create table cloud_sync_places (
      organization_id integer not null,
      sync_id integer not null,
      place_id integer not null,
      state text not null check (state in ('waiting', 'ok', 'excluded', 'denied', 'failed')),
      reason text,
      seen integer not null default 0,
      added integer not null default 0,
      changed integer not null default 0,
      gone integer not null default 0,
      primary key (organization_id, sync_id, place_id),
      foreign key (organization_id, sync_id) references cloud_syncs (organization_id, id) on delete cascade,
      foreign key (organization_id, place_id) references cloud_places (organization_id, id) on delete cascade
    );
    create index cloud_sync_places_place on cloud_sync_places (organization_id, place_id);

    -- What was found so far, some pages a row. \`next_cursor\` is null after a place's last page.
    create table cloud_resource_pages (
      organization_id integer not null,
      sync_id integer not null,
      place_id integer not null,
      number integer not null,
      next_cursor text,
      -- Ids of resources that are as they were.
      unchanged integer[] not null,
      -- New and changed resources.
      found jsonb not null,
      primary key (organization_id, sync_id, place_id, number),
      foreign key (organization_id, sync_id, place_id)
        references cloud_sync_places (organization_id, sync_id, place_id) on delete cascade
    );
    -- Compression costs more than it saves on rows that live for minutes.
    alter table cloud_resource_pages alter column found set storage external,
      alter column unchanged set storage external;

    create sequence cloud_resource_ids as integer;
    create table cloud_resources (
      -- Multiples of the golden section modulo the prime 2^31 - 1, so that no id comes twice. In the order
      -- of ids the resources of one account or region are spread evenly among all others, so that
      -- cloud_resources_found learns from a few thousand rows how many match.
      id integer not null
        default (nextval('cloud_resource_ids') * 1327217884::bigint % 2147483647::bigint)::integer,
      organization_id integer not null,
      cloud_account_id integer not null,
      place_id integer not null,
      provider text not null,
      -- Up to 2,000 characters and more, which no index takes: found by its key, and then compared.
      cloud_id text not null,
      cloud_key uuid not null generated always as (md5(cloud_id)::uuid) stored,
      service text not null check (octet_length(service) <= 600),
      type text not null check (octet_length(type) <= 600),
      name text not null,
      region text not null check (octet_length(region) <= 600),
      tags jsonb not null,
      -- Of all that the cloud says of it.
      digest text not null,
      state text not null default 'present' check (state in ('present', 'gone')),
      first_seen_at timestamptz not null default now(),
      gone_at timestamptz,
      -- Of one that is gone. A present one was last seen at its place's last complete look, so that
      -- an unchanged resource needs no write.
      last_seen_at timestamptz,
      -- With all short columns that the list is filtered by, in the order of the list.
      primary key (organization_id, id)
        include (cloud_account_id, provider, service, type, region, state),
      foreign key (organization_id, cloud_account_id, place_id)
        references cloud_places (organization_id, cloud_account_id, id) on delete cascade
    );
    alter sequence cloud_resource_ids owned by cloud_resources.id;
    grant usage on sequence cloud_resource_ids to cc_app, cc_platform;
    -- Index scans of the list read no row where the visibility map is current.
    alter table cloud_resources set (autovacuum_vacuum_scale_factor = 0.02,
      autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);

    alter table cloud_accounts
      -- Syncs in a row that the credentials did not allow.
      add column refused_syncs integer not null default 0;
  `)
}

async function addIndexes(knex: Knex): Promise<void> {
  await knex.raw(`
    create unique index cloud_resources_key on cloud_resources (organization_id, cloud_key, cloud_account_id);
    create index cloud_resources_place on cloud_resources (organization_id, cloud_account_id, place_id)
      include (state);

    -- A value of a filter as a number. It contains the organization, so that a search reads no postings
    -- of another organization's resources.
    create function cloud_facet(organization integer, kind text, value text) returns bigint
      language sql immutable parallel safe
      as $$ select hashtextextended(kind || value, organization) $$;
    create function cloud_facets(organization integer, account integer, provider text, service text, type text,
      region text, state text, tags jsonb) returns bigint[]
      language sql immutable parallel safe
      as $$ select array[hashtextextended('a' || account::text, organization),
          hashtextextended('p' || provider, organization), hashtextextended('s' || service, organization),
          hashtextextended('t' || type, organization), hashtextextended('r' || region, organization)]
        || case when state = 'gone' then array[hashtextextended('ggone', organization)] end
        || array(select hashtextextended(f.kind || f.value, organization) from jsonb_each_text(tags) as t (key, value),
          lateral (values ('k', t.key), ('v', t.key || '=' || t.value)) as f (kind, value)) $$;
    create index cloud_resources_facets on cloud_resources using gin
      (cloud_facets(organization_id, cloud_account_id, provider, service, type, region, state, tags));
    -- Apart: together, the account's number in each cloud id would match the parts of many names.
    create index cloud_resources_name on cloud_resources using gin (name gin_trgm_ops);
    create index cloud_resources_cloud_id_text on cloud_resources using gin (cloud_id gin_trgm_ops);
  `)
}

async function addSearch(knex: Knex): Promise<void> {
  await knex.raw(`
    create function cloud_facet_condition(organization integer, kinds text[], wanted jsonb) returns text
      language sql immutable parallel safe
      as $$ select format(' and cloud_facets(r.organization_id, r.cloud_account_id, r.provider, r.service, '
          'r.type, r.region, r.state, r.tags) && %L::bigint[]',
        array(select cloud_facet(organization, kind, value)
          from unnest(kinds) as kind, jsonb_array_elements_text(wanted) as value)) $$;

    -- The filters as conditions on the columns of the list's index (short), on the row (long) and on the
    -- indexes of values and texts (indexed). Each list of a filter means \`or\`.
    create function cloud_resource_conditions(organization integer, filters jsonb,
      out short text, out long text, out indexed text)
      language plpgsql immutable parallel safe
      as $$
    declare
      name text;
      held text;
      workspaces text;
    begin
      short := '';
      long := '';
      indexed := '';
      foreach name in array array['provider', 'service', 'type', 'region', 'cloud_account_id'] loop
        continue when filters -> name is null;
        short := short || format(' and r.%I::text = any (%L::text[])', name,
          array(select jsonb_array_elements_text(filters -> name)));
        indexed := indexed || cloud_facet_condition(organization,
          array[case name when 'cloud_account_id' then 'a' else left(name, 1) end], filters -> name);
      end loop;
      if filters -> 'state' is not null then
        short := short || format(' and r.state = %L', filters ->> 'state');
        if filters ->> 'state' = 'gone' then
          indexed := indexed || cloud_facet_condition(organization, array['g'], '["gone"]');
        end if;
      end if;
      if filters -> 'tag' is not null then
        long := long || format(' and (r.tags \\?| %L::text[] or r.tags @> any (%L::jsonb[]))',
          array(select jsonb_array_elements_text(filters -> 'tag')),
          array(select jsonb_array_elements(filters -> 'pair')));
        indexed := indexed || cloud_facet_condition(organization, array['k', 'v'], filters -> 'tag');
      end if;
      if filters -> 'q' is not null then
        name := (select string_agg(format('r.name ilike %1$L or r.cloud_id ilike %1$L', pattern), ' or ')
          from jsonb_array_elements_text(filters -> 'q') as pattern);
        long := long || format(' and (%s)', name);
        indexed := indexed || format(' and (%s)', name);
      end if;
      -- Of two workspaces that hold it, the one that began later (docs/ownership.md).
      name := format('(select w.workspace_id from workspace_resources w where w.organization_id = %s
        and w.cloud_key = r.cloud_key and w.cloud_id = r.cloud_id and w.held_to is null
        order by w.held_from desc, w.id desc limit 1)', organization);
      -- The rows that any of these workspaces holds.
      held := format(' and r.organization_id = %1$s and r.cloud_key in (select w.cloud_key
        from workspace_resources w where w.organization_id = %1$s and w.held_to is null', organization);
      if filters -> 'managed' is not null then
        long := long || format(' and %s is %s null', name,
          case when filters -> 'managed' = 'true' then 'not' else '' end);
        if filters -> 'managed' = 'true' then indexed := indexed || held || ')'; end if;
      end if;
      if filters -> 'workspace' is not null then
        workspaces := format(' = any (%L::integer[])', array(select jsonb_array_elements_text(filters -> 'workspace')));
        long := long || format(' and %s %s', name, workspaces);
        indexed := indexed || format('%s and w.workspace_id %s)', held, workspaces);
      end if;
    end $$;

    -- Row-level security keeps &&, @> and ilike off an index: they are not leakproof, so that every row of
    -- the organization would be read first. This looks within the one organization that is set, as the
    -- owner of the tables, and returns ids alone.
    --
    -- First it filters some thousand rows in the order of the list. If they fill the page, it is done.
    -- Otherwise matches are rare, and equally rare everywhere since ids are spread, so all of them are
    -- collected by the indexes of values and texts and sorted. So the work is bounded for any filters.
    create function cloud_resources_found(filters jsonb, after_id integer, wanted integer) returns setof integer
      language plpgsql stable security definer rows 100 set search_path = public, pg_temp set enable_seqscan = off
      as $$
    declare
      org constant integer := current_setting('cc.organization_id')::integer;
      -- Entries of the index, and rows of the table, that are filtered at most.
      max_entries constant integer := 10000;
      max_rows constant integer := 3000;
      conditions record;
      listed text;
      more boolean;
      found integer[];
    begin
      conditions := cloud_resource_conditions(org, filters);
      listed := format('(select r.id from (select id, cloud_account_id, provider, service, type, region, state
        from cloud_resources where organization_id = %s and id > %s order by organization_id, id limit %s) r
        where true %s', org, after_id, max_entries, conditions.short);
      if conditions.long = '' then
        listed := format('%s) l limit %s', listed, wanted);
      else
        listed := format('%s limit %s) l where (select true %s from cloud_resources r
          where r.organization_id = %s and r.id = l.id) limit %s', listed, max_rows, conditions.long, org, wanted);
      end if;
      execute 'select array(select l.id from ' || listed || ')' into found;
      if cardinality(found) < wanted then
        select exists (select from cloud_resources where organization_id = org and id > after_id
          order by organization_id, id offset least(max_entries, max_rows) limit 1) into more;
        -- The sums keep the planner from walking the list again, as enable_seqscan keeps it from the table.
        if more then
          execute format('select array(select r.id from cloud_resources r
            where r.organization_id + 0 = %s and r.id + 0 > %s %s %s %s order by r.id + 0 limit %s)',
            org, after_id, conditions.short, conditions.long, conditions.indexed, wanted) into found;
        end if;
      end if;
      return query select unnest(found);
    end $$;
    revoke execute on function cloud_resources_found from public;
    grant execute on function cloud_resources_found to cc_app;
  `)
}
