import type { Knex } from 'knex'
import { protectTable } from '../protect-table.ts'

/** Which workspace a cloud resource belongs to, by day: the one whose current state holds its id. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table workspace_resources (
      id integer generated always as identity primary key,
      organization_id integer not null,
      workspace_id integer not null,
      -- Up to 2,000 characters, which no index takes: found by its key, and then compared.
      cloud_id text not null,
      cloud_key uuid not null generated always as (md5(cloud_id)::uuid) stored,
      address text not null,
      type text not null,
      provider text not null check (provider in ('aws', 'azure', 'gcp')),
      -- What decides the price, by attribute path. Never what a state marks as sensitive.
      attributes jsonb not null,
      held_from date not null,
      -- The last day, which counts; null while the current state holds it.
      held_to date,
      -- Another workspace's state held it at the same time, and may still do.
      also_held boolean not null default false,
      foreign key (organization_id, workspace_id) references workspaces (organization_id, id) on delete cascade
    );
    create index workspace_resources_of on workspace_resources (organization_id, workspace_id, cloud_key);
    create index workspace_resources_key on workspace_resources (organization_id, cloud_key);
    create index workspace_resources_also_held on workspace_resources (organization_id, workspace_id, id)
      where also_held and held_to is null;

    -- The digest of the resources that this version holds, where they are in workspace_resources.
    alter table state_versions add column held_sha256 text;

    -- States from before are read by the worker, one after the other.
    alter table workspaces add column resources_due boolean not null default false;
    update workspaces w set resources_due = true where exists (
      select from state_versions v where v.organization_id = w.organization_id
        and v.workspace_id = w.id and v.status = 'finalized');
    create index workspaces_resources_due on workspaces (id) where resources_due;
  `)
  await protectTable(knex, 'workspace_resources')
}
