import type { Knex } from 'knex'

/**
 * Names under which the resources of states and those of bills are found to be the same. AWS bills write
 * short ids where states have ARNs (docs/ownership.md).
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(names)
  await knex.raw(columns)
}

/** The same as domain/clouds/name-of-resource.ts, which a test compares. */
const names = `
  create function cloud_name(cloud_id text) returns text
    language sql immutable parallel safe
    as $$ select case
      when starts_with(cloud_id, 'arn:') then coalesce(
        'ec2/' || substring(cloud_id from '^arn:aws[a-z-]*:ec2:[a-z0-9-]*:[0-9]*:[a-z-]+/([a-z]+(-[a-z]+)*-[0-9a-z]+)$'),
        's3/' || substring(cloud_id from '^arn:aws[a-z-]*:s3:::([A-Za-z0-9._-]+)$'), cloud_id)
      when cloud_id ~ '^[a-z]+(-[a-z]+)*-[0-9a-z]+$' then 'ec2/' || cloud_id
      else cloud_id end $$;

  create function billed_name(resource_id text, provider text, service text) returns text
    language sql immutable parallel safe
    as $$ select case
      when provider = 'azure' then lower(resource_id)
      when provider <> 'aws' then resource_id
      when service in ('Amazon Simple Storage Service', 'Amazon S3', 'AmazonS3')
        and not starts_with(resource_id, 'arn:') then 's3/' || resource_id
      else cloud_name(resource_id) end $$`

const columns = `
  -- md5, for a name may be longer than an index takes: whoever finds a row by it compares the name too.
  alter table workspace_resources
    add column name_key uuid not null generated always as (md5(cloud_name(cloud_id))::uuid) stored;
  create index workspace_resources_name on workspace_resources (organization_id, name_key);

  alter table cost_resources
    add column name_key uuid not null generated always as (md5(billed_name(resource_id, provider, service))::uuid) stored;
  drop index cost_resources_key;
  create index cost_resources_name on cost_resources (organization_id, name_key);

  -- The current states are read once more, for what they hold by a short id alone.
  update state_versions set held_sha256 = null where held_sha256 is not null;
  update workspaces w set resources_due = true where exists (
    select from state_versions v where v.organization_id = w.organization_id
      and v.workspace_id = w.id and v.status = 'finalized');

  -- Bills that are loaded already: each workspace's days are summed again, by the new rule.
  insert into cost_rebuilds (organization_id, workspace_id, since)
    select distinct w.organization_id, w.workspace_id, date '2000-01-01' from workspace_resources w
    where exists (select from billing_slices s where s.organization_id = w.organization_id and s.has_charges)
    on conflict (organization_id, workspace_id) do update set since = excluded.since, version = cost_rebuilds.version + 1`
