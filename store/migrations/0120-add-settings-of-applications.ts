import type { Knex } from 'knex'
import { protectTable } from '../protect-table.ts'

/**
 * Which branch and folder an application is built from, what starts a run of it, who approves a
 * rollback, its variables, and who changed any of these since it was deployed.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table pipelines
      -- Null: the connection's default branch, as it is when a run starts.
      add column app_branch text check (octet_length(app_branch) between 1 and 1024),
      -- The folder that holds .cloud-control/, without slashes around it.
      add column app_path text not null default '' check (octet_length(app_path) <= 1024),
      add column trigger_push boolean not null default false,
      add column trigger_paths text[] not null default '{}' check (cardinality(trigger_paths) <= 50),
      add column trigger_tags text[] not null default '{}' check (cardinality(trigger_tags) <= 50),
      add column rollback_approval text not null default 'always'
        check (rollback_approval in ('always', 'once')),
      add column sbom text not null default 'optional' check (sbom in ('optional', 'required')),
      add column agent_wait_minutes integer not null default 30
        check (agent_wait_minutes between 1 and 1440),
      add column updated_at timestamptz not null default now(),
      add constraint pipelines_application check (kind = 'application' or (
        app_branch is null and app_path = '' and not trigger_push and trigger_paths = '{}'
        and trigger_tags = '{}' and rollback_approval = 'always' and sbom = 'optional'
        and agent_wait_minutes = 30));

    alter table application_runs
      add column tag text check (octet_length(tag) between 1 and 1024),
      -- As it was asked for; null: the pipeline's.
      add column strategy text check (char_length(strategy) between 1 and 100),
      -- Of a push or tag: the delivery that told of it. Deliveries are forgotten earlier than runs.
      add column trigger_id integer,
      -- Members who wrote its commits, or pushed them.
      add column author_user_ids integer[] not null default '{}',
      add column unknown_author boolean not null default false;

    create table pipeline_variables (
      id integer primary key generated always as identity,
      organization_id integer not null,
      pipeline_id integer not null,
      key text not null,
      phase text not null check (phase in ('build', 'deploy')),
      sensitive boolean not null default false,
      -- Sealed, and a keyed hash of the plain value.
      value bytea not null,
      value_mac bytea not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      unique (organization_id, id),
      unique (pipeline_id, phase, key),
      foreign key (organization_id, pipeline_id) references pipelines (organization_id, id) on delete cascade
    );
    create index pipeline_variables_pipeline on pipeline_variables (organization_id, pipeline_id);

    create table pipeline_authorship (
      id integer primary key generated always as identity,
      organization_id integer not null,
      pipeline_id integer not null,
      user_id integer not null,
      what text not null,
      at timestamptz not null default now(),
      -- A deployment that succeeded included it.
      deployed_at timestamptz,
      foreign key (organization_id, pipeline_id) references pipelines (organization_id, id) on delete cascade,
      foreign key (organization_id, user_id) references users (organization_id, id)
    );
    create index pipeline_authorship_pipeline on pipeline_authorship (organization_id, pipeline_id);
    create index pipeline_authorship_user on pipeline_authorship (organization_id, user_id);
    create index pipeline_authorship_open on pipeline_authorship (organization_id, pipeline_id)
      where deployed_at is null;
  `)
  await protectTable(knex, 'pipeline_variables')
  await protectTable(knex, 'pipeline_authorship')
}
