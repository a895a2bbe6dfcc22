import type { Knex } from 'knex'

/**
 * A state has a NAT gateway by its short id alone, and a node pool of a zone under `locations`, where the inventories
 * have an ARN and `zones`. Compared as whole ids, both were unmanaged and were offered for import.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(otherIds)
  await knex.raw(otherwiseHeld)
  await knex.raw(conditions)
  await knex.raw(walk)
  await readSettingsAgain(knex)
}

const otherIds = `
  -- The other id by which a state may hold what is listed by this one, or null. Only short ids of 17 digits, which are
  -- unique in all of AWS: their account and region need not be compared.
  create function other_cloud_id(cloud_id text) returns text
    language sql immutable parallel safe
    as $$ select case
      -- Without a group that captures, which takes ten times as long.
      when starts_with(cloud_id, 'arn:') then case
        when split_part(cloud_id, ':', 3) = 'ec2' and split_part(cloud_id, '/', 3) = '' and split_part(cloud_id, '/', 2) ~
          '^(\\?:eipalloc|eni|fl|h|i|nat|snap|subnet|tgw|tgw-attach|vgw|vol|vpc|vpce|vpn)-[0-9a-f]{17}$'
        then split_part(cloud_id, '/', 2) end
      when starts_with(cloud_id, '//container.googleapis.com/') then case
        when cloud_id ~ '^//container.googleapis.com/projects/[^/]+/zones/[^/]+/clusters/'
          then regexp_replace(cloud_id, '^(//[^/]+/projects/[^/]+)/zones/', '\\1/locations/')
        -- The name of a zone ends with a letter, that of a region with a number.
        when cloud_id ~ '^//container.googleapis.com/projects/[^/]+/locations/[^/]+-[a-z]/clusters/'
          then regexp_replace(cloud_id, '^(//[^/]+/projects/[^/]+)/locations/', '\\1/zones/') end
      end $$;

  -- Whether what is listed may have this one as its other id. With the schema, since an index is built without a path.
  create function is_other_cloud_id(cloud_id text) returns boolean
    language sql immutable parallel safe
    as $$ select case
      when starts_with(cloud_id, 'arn:') then false
      when starts_with(cloud_id, '/') then public.other_cloud_id(cloud_id) is not null
      else cloud_id ~ '^[a-z]+(\\?:-[a-z]+)*-[0-9a-f]{17}$' end $$;

  create index cloud_resources_other on cloud_resources (organization_id, (md5(other_cloud_id(cloud_id))::uuid))
    where other_cloud_id(cloud_id) is not null;
  create index workspace_resources_other on workspace_resources (organization_id, workspace_id)
    where held_to is null and is_other_cloud_id(cloud_id)`

const otherwiseHeld = `
  -- What these workspaces, or any, hold now by another id than the listed one. By the owner of the tables, since
  -- row-level security keeps an expression off its index; within the one organization that is set. Both limits
  -- (\`offset 0\`) keep the planner from reading all that is listed first.
  create function cloud_resources_otherwise_held(workspaces integer[])
    returns table (held_id integer, resource_id integer, resource_key uuid)
    language sql stable security definer rows 10 set search_path = public, pg_temp set enable_seqscan = off
    as $$
      select h.id, r.id, r.cloud_key from (
          select w.id, w.cloud_id, w.cloud_key from workspace_resources w
          where w.organization_id = current_setting('cc.organization_id')::integer and w.held_to is null
            and is_other_cloud_id(w.cloud_id) and (workspaces is null or w.workspace_id = any (workspaces)) offset 0) h
        cross join lateral (
          select l.id, l.cloud_key from cloud_resources l
          where l.organization_id = current_setting('cc.organization_id')::integer
            and other_cloud_id(l.cloud_id) is not null and md5(other_cloud_id(l.cloud_id))::uuid = h.cloud_key
            and other_cloud_id(l.cloud_id) = h.cloud_id offset 0) r $$;
  revoke execute on function cloud_resources_otherwise_held from public;
  grant execute on function cloud_resources_otherwise_held to cc_app`

const conditions = `
  -- The filters as conditions on the columns of the list's index (short), on the row (long) and on the
  -- workspace that holds it (held). Each list of a filter means \`or\`.
  create or replace function cloud_resource_conditions(organization integer, filters jsonb, out short text, out long text, out held text)
    language plpgsql immutable parallel safe
    as $$
  declare
    name text;
    -- Of two workspaces that hold it, the one that began later (docs/ownership.md). The first arm reads one entry of
    -- the index of holders, the second one all holders of either id.
    holder constant text := format('(case when other_cloud_id(r.cloud_id) is null
      then (select w.workspace_id from workspace_resources w where w.organization_id = %1$s
        and w.cloud_key = r.cloud_key and w.cloud_id = r.cloud_id and w.held_to is null
        order by w.held_to desc, coalesce(w.holding_from, w.held_from) desc,
          coalesce(w.holding_id, w.id) desc limit 1)
      else (select w.workspace_id from workspace_resources w where w.organization_id = %1$s
        and w.cloud_key in (r.cloud_key, md5(other_cloud_id(r.cloud_id))::uuid)
        and w.cloud_id in (r.cloud_id, other_cloud_id(r.cloud_id)) and w.held_to is null
        order by coalesce(w.holding_from, w.held_from) desc, coalesce(w.holding_id, w.id) desc limit 1) end)',
      organization);
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
  end $$;`

const walk = `
  -- Those among what these workspaces, or any, hold now, in the order of the list; \`keys\` are what was
  -- looked up where that did not fill the page.
  create or replace function cloud_resources_held(organization integer, filters jsonb, conditions text, after_key uuid,
    walked integer, wanted integer, out keys uuid[], out ids integer[])
    language plpgsql stable
    as $$
  declare
    most constant text := coalesce(walked::text, 'all');
    held constant text := format('select distinct h.cloud_key from workspace_resources h where h.organization_id = %s
      and h.cloud_key >= %L::uuid and h.held_to is null', organization, after_key);
    -- Their listed ids, which are elsewhere in the order.
    others constant uuid[] := array(select o.resource_key
      from cloud_resources_otherwise_held(case when filters -> 'workspace' is not null
        then array(select jsonb_array_elements_text(filters -> 'workspace')::integer) end) o
      where o.resource_key >= after_key order by o.resource_key limit walked);
    walk text;
  begin
    walk := case when filters -> 'workspace' is null then held
      when jsonb_array_length(filters -> 'workspace') = 1 then
        format('%s and h.workspace_id = %L', held, filters -> 'workspace' ->> 0)
      else format('select distinct h.cloud_key from unnest(%L::integer[]) as w (id),
        lateral (%s and h.workspace_id = w.id order by h.cloud_key limit %s) h',
        array(select jsonb_array_elements_text(filters -> 'workspace')), held, most) end;
    walk := format('%s order by cloud_key limit %s', walk, most);
    if cardinality(others) > 0 then
      walk := format('select m.cloud_key from ((%s) union select unnest(%L::uuid[])) m order by m.cloud_key limit %s',
        walk, others, most);
    end if;
    execute format('select array(select r.id from (%s) k, lateral (select r.id from cloud_resources r
      where r.organization_id = %s and r.cloud_key = k.cloud_key %s order by r.cloud_account_id offset 0) r limit %s)',
      walk, organization, conditions, wanted) into ids;
    if cardinality(ids) < wanted and walked is not null then
      execute format('select array(%s)', walk) into keys;
    end if;
  end $$;`

/**
 * These were held as if they were the resource that they are set for, and secrets by their project's id, where the
 * inventory has its number. The current states that hold such a type are read once more; another one notes the
 * difference with its next version.
 */
export async function readSettingsAgain(knex: Knex): Promise<void> {
  await knex.raw(`
    with misread as materialized (
      select distinct organization_id, workspace_id from workspace_resources where held_to is null
        and type ~ '^(aws_.*_(sink|resource|permissions)_policy|google_compute_backend_(bucket|service)_signed_url_key|google_secret_manager_.*)$'),
    unread as (
      update state_versions v set held_sha256 = null from misread m
      where v.organization_id = m.organization_id and v.workspace_id = m.workspace_id and v.held_sha256 is not null)
    update workspaces w set resources_due = true from misread m
    where w.organization_id = m.organization_id and w.id = m.workspace_id and exists (select from state_versions v
      where v.organization_id = w.organization_id and v.workspace_id = w.id and v.status = 'finalized')`)
}
