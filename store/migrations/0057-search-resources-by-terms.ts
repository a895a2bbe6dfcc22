import type { Knex } from 'knex'

/** The search among cloud resources, by the indexes of the migration before (docs/decisions/0132). */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(conditions)
  await knex.raw(arms)
  await knex.raw(steps)
  await knex.raw(search)
}

const conditions = `
  -- The filters as conditions on the columns of the list's index (short), on the row (long) and on the
  -- workspace that holds it (held). Each list of a filter means \`or\`.
  create function cloud_resource_conditions(organization integer, filters jsonb, out short text, out long text, out held text)
    language plpgsql immutable parallel safe
    as $$
  declare
    name text;
    -- Of two workspaces that hold it, the one that began later (docs/ownership.md).
    holder constant text := format('(select w.workspace_id from workspace_resources w where w.organization_id = %s
      and w.cloud_key = r.cloud_key and w.cloud_id = r.cloud_id and w.held_to is null
      order by w.held_from desc, w.id desc limit 1)', organization);
  begin
    short := '';
    long := '';
    held := '';
    foreach name in array array['provider', 'service', 'type', 'region', 'cloud_account_id', 'state'] loop
      continue when filters -> name is null;
      short := short || format(' and r.%I::text = any (%L::text[])', name,
        array(select jsonb_array_elements_text(filters -> name)));
    end loop;
    if filters -> 'tag' is not null then
      long := format(' and (r.tags \\?| %L::text[] or r.tags @> any (%L::jsonb[]))',
        array(select jsonb_array_elements_text(filters -> 'tag')),
        array(select jsonb_array_elements(filters -> 'pair')));
    end if;
    if filters -> 'q' is not null then
      long := long || format(' and (%s)', (select string_agg(
          format('r.name ilike %1$L or r.cloud_id ilike %1$L', pattern), ' or ')
        from jsonb_array_elements_text(filters -> 'pattern') as pattern));
    end if;
    if filters -> 'workspace' is not null then
      held := format(' and %s = any (%L::integer[])', holder,
        array(select jsonb_array_elements_text(filters -> 'workspace')));
    end if;
    if filters -> 'managed' is not null then
      held := held || format(' and %s is %s null', holder, case when filters ->> 'managed' = 'true' then 'not' else '' end);
    end if;
  end $$;

  -- The terms of each filter, of which a resource has one, and the same as a condition on its row.
  -- \`text_of\` is 0, or which of the searched texts they are a part of.
  create function cloud_resource_terms(organization integer, filters jsonb)
    returns table (text_of integer, terms bigint[], probe text)
    language sql immutable parallel safe
    as $$
      select 0, array(select cloud_term(organization, kind, value) from jsonb_array_elements_text(filters -> name) as value),
        format('r.%I::text = any (%L::text[])', name, array(select jsonb_array_elements_text(filters -> name)))
      from (values ('a', 'cloud_account_id'), ('p', 'provider'), ('s', 'service'), ('t', 'type'), ('r', 'region'),
        ('e', 'state')) as f (kind, name)
      where filters -> name is not null
      union all
      select 0, array(select cloud_term(organization, kind, value)
          from unnest(array['k', 'v']) as kind, jsonb_array_elements_text(filters -> 'tag') as value),
        format('(r.tags \\?| %L::text[] or r.tags @> any (%L::jsonb[]))',
          array(select jsonb_array_elements_text(filters -> 'tag')),
          array(select jsonb_array_elements(filters -> 'pair')))
      where filters -> 'tag' is not null
      union all
      (select distinct on (q.number, part) q.number::integer, array[cloud_term(organization, 'x', part)],
        format('strpos(r.lowered, %L) > 0', part)
      from jsonb_array_elements_text(filters -> 'q') with ordinality as q (value, number),
        lateral (select substr(lower(q.value), i, 3) as part
          -- Of long texts some.
          from generate_series(1, length(lower(q.value)) - 2,
            1 + length(q.value) * jsonb_array_length(filters -> 'q') / 48) as i) parts)
    $$;`

const arms = `
  -- What a resource's terms (T) have to be: one condition, or one for each searched text. Frequent terms cost
  -- much and exclude little. How frequent they are is seen in the sample, the next rows of the list.
  create function cloud_resource_arms(organization integer, filters jsonb, sample text, sampled integer) returns text[]
    language plpgsql stable
    as $$
  declare
    counts integer[];
  begin
    if exists (select from jsonb_array_elements_text(filters -> 'q') as q where length(lower(q)) < 3) then
      return '{}';
    end if;
    execute (select format('select array[%s]::integer[] from (select r.*%s from (%s) r offset 0) r',
        string_agg(format('count(*) filter (where %s)', probe), ', '),
        case when filters -> 'q' is not null then $l$, lower(r.name || E'\\n' || r.cloud_id) as lowered$l$ end, sample)
      from cloud_resource_terms(organization, filters)) into counts;
    return array(
      with term as (select * from cloud_resource_terms(organization, filters)
          with ordinality as t (text_of, terms, probe, position)),
      arm as (select distinct text_of from term where text_of > 0
        union all select 0 where not exists (select from term where text_of > 0)),
      ranked as (select arm.text_of, term.terms, counts[term.position] as count,
          row_number() over (partition by arm.text_of order by counts[term.position], term.position) as place
        from arm join term on term.text_of in (0, arm.text_of)),
      kept as (select * from ranked where place = 1 or place <= 6 and count <= 0.3 * sampled)
      select concat_ws(' and ',
          'T @> ' || quote_literal(array_agg(terms[1]) filter (where cardinality(terms) = 1)) || '::bigint[]',
          string_agg(format('T && %L::bigint[]', terms), ' and ') filter (where cardinality(terms) > 1))
      from kept group by text_of);
  end $$;`

const steps = `
  -- Where in the list a key is, from 0 to 1.
  create function cloud_position(key uuid) returns double precision
    language sql immutable parallel safe
    as $$ select ('x' || left(key::text, 8))::bit(32)::bigint / 4294967296.0 $$;

  -- Those in the next parts of the list, of 256, as many as are likely to fill the page. If they do not, or the
  -- matches are few, those in all of it: each part is some thousand entries of the index to be skipped.
  create function cloud_resources_by_terms(organization integer, filters jsonb, conditions text, arms text[],
    after_key uuid, likely double precision, wanted integer) returns integer[]
    language plpgsql stable
    as $$
  declare
    terms constant text := 'cloud_terms(r.organization_id, r.cloud_account_id, r.provider, r.service, r.type, r.region, '
      'r.state, r.tags, r.name, r.cloud_id, r.cloud_key) ';
    first constant integer := floor(cloud_position(after_key) * 256);
    -- Behind the part that the key is in.
    ends integer := first + ceil(1.5 * wanted / greatest(likely, 1) * 256);
    indexed text;
    ids integer[];
  begin
    loop
      if likely < 800 or ends > 255 then
        ends := 256;
      end if;
      indexed := case when ends < 256 then format(' and T && %L::bigint[]',
        array(select cloud_term(organization, 'b', lpad(to_hex(part), 2, '0')) from generate_series(first, ends) as part)) end;
      indexed := (select string_agg(format('(%s%s)', arm, indexed), ' or ') from unnest(arms) as arm);
      -- The sum keeps the planner from walking the list.
      execute format('with r as materialized (select r.id, r.cloud_key, r.cloud_account_id from cloud_resources r
          where r.organization_id + 0 = %s and (%s) %s)
        select array(select id from r order by cloud_key, cloud_account_id limit %s)',
        organization, replace(indexed, 'T ', terms), conditions, wanted) into ids;
      exit when cardinality(ids) = wanted or ends = 256;
      -- Fewer than the first rows made likely.
      likely := 256.0 * cardinality(ids) / (ends - first);
      ends := first + ceil(1.5 * wanted / greatest(likely, 1) * 256);
    end loop;
    return ids;
  end $$;

  -- Those among what these workspaces, or any, hold now, in the order of the list; \`keys\` are what was
  -- looked up where that did not fill the page.
  create function cloud_resources_held(organization integer, filters jsonb, conditions text, after_key uuid,
    walked integer, wanted integer, out keys uuid[], out ids integer[])
    language plpgsql stable
    as $$
  declare
    most constant text := coalesce(walked::text, 'all');
    held constant text := format('select distinct h.cloud_key from workspace_resources h where h.organization_id = %s
      and h.cloud_key >= %L::uuid and h.held_to is null', organization, after_key);
    walk text;
  begin
    walk := case when filters -> 'workspace' is null then held
      when jsonb_array_length(filters -> 'workspace') = 1 then
        format('%s and h.workspace_id = %L', held, filters -> 'workspace' ->> 0)
      else format('select distinct h.cloud_key from unnest(%L::integer[]) as w (id),
        lateral (%s and h.workspace_id = w.id order by h.cloud_key limit %s) h',
        array(select jsonb_array_elements_text(filters -> 'workspace')), held, most) end;
    walk := format('%s order by cloud_key limit %s', walk, most);
    execute format('select array(select r.id from (%s) k, lateral (select r.id from cloud_resources r
      where r.organization_id = %s and r.cloud_key = k.cloud_key %s order by r.cloud_account_id offset 0) r limit %s)',
      walk, organization, conditions, wanted) into ids;
    if cardinality(ids) < wanted and walked is not null then
      execute format('select array(%s)', walk) into keys;
    end if;
  end $$;`

const search = `
  -- Row-level security keeps &&, @> and ilike off an index: they are not leakproof, so that every row of
  -- the organization would be read first. This looks within the one organization that is set, as the
  -- owner of the tables, and returns ids alone.
  --
  -- First it filters some rows in the order of the list. If they fill the page, it is done. Otherwise
  -- matches are rare, and equally rare everywhere, since the order is that of a hash. So it follows from
  -- these rows in how much of the list the index of terms has enough matches, and not too many.
  create function cloud_resources_found(filters jsonb, after_key uuid, after_account integer, wanted integer)
    returns setof integer
    language plpgsql stable security definer rows 100 set search_path = public, pg_temp set enable_seqscan = off
    as $$
  declare
    org constant integer := current_setting('cc.organization_id')::integer;
    -- What workspaces hold, and rows for the frequency of terms, that are read.
    walked constant integer := 1000;
    sampled constant integer := 150;
    is_held constant boolean := filters -> 'workspace' is not null or filters ->> 'managed' = 'true';
    list constant text := format('from cloud_resources r where r.organization_id = %s
      and (r.cloud_key, r.cloud_account_id) > (%L::uuid, %s)', org, after_key, after_account);
    ordered constant text := ' order by r.organization_id, r.cloud_key, r.cloud_account_id limit ';
    -- The same, hidden from the planner.
    behind constant text := format(' and coalesce((r.cloud_key, r.cloud_account_id) > (%L::uuid, %s), false)',
      after_key, after_account);
    c record;
    conditions text;
    filtered integer;
    next_key uuid;
    keys uuid[];
    arms text[];
    is_denser boolean := false;
    ids integer[];
  begin
    c := cloud_resource_conditions(org, filters);
    conditions := c.short || c.long || c.held;
    if is_held then
      select h.keys, h.ids into keys, ids
        from cloud_resources_held(org, filters, conditions || behind, after_key, walked, wanted) h;
      if cardinality(ids) = wanted or cardinality(keys) < walked then
        return query select unnest(ids);
        return;
      end if;
    end if;
    -- The index of the list has the short columns, so that more can be filtered.
    filtered := case when c.long || c.held = '' then 4000 else 250 end;
    execute format('select array(select r.id from (select %s %s) r where true %s limit %s)',
      case when c.long || c.held = '' then 'r.id, r.cloud_account_id, r.provider, r.service, r.type, r.region, r.state'
        else 'r.*' end, list || ordered || filtered, conditions, wanted) into ids;
    if cardinality(ids) < wanted then
      execute format('select r.cloud_key %s offset %s', list || ordered || 1, filtered) into next_key;
    end if;
    if next_key is not null then
      arms := cloud_resource_arms(org, filters, 'select r.* ' || list || ordered || sampled, sampled);
      if is_held then
        -- Whether more match the rest of the filters than workspaces hold.
        execute format('select count(*)::float8 / $1 * $2 / (cloud_position($3) - cloud_position($4) + 1e-9)
            > $5 / (cloud_position($6) - cloud_position($4) + 1e-9)
          from (select r.* %s) r where true %s', list || ordered || sampled, c.short || c.long) into is_denser
          using sampled, filtered, next_key, after_key, walked, keys[walked];
      end if;
      if is_held and (is_denser or arms = '{}') then
        select h.ids into ids from cloud_resources_held(org, filters, conditions || behind, after_key, null, wanted) h;
      elsif arms = '{}' then
        execute format('select array(select r.id %s %s %s %s)', list, conditions, ordered, wanted) into ids;
      else
        -- How many the list has, if all of it is like its first rows.
        ids := cloud_resources_by_terms(org, filters, conditions || behind, arms, after_key,
          greatest(cardinality(ids), 0.7) / (cloud_position(next_key) - cloud_position(after_key) + 1e-9), wanted);
      end if;
    end if;
    return query select unnest(ids);
  end $$;
  revoke execute on function cloud_resources_found from public;
  grant execute on function cloud_resources_found to cc_app`
