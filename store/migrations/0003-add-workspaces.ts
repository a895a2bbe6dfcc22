import type { Knex } from 'knex'
import { protectTable } from '../protect-table.ts'

/** What is provisioned: workspaces with their files, variables, state, lock, and what guards their runs. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table workspaces (
      id integer generated always as identity primary key,
      organization_id integer not null references organizations,
      name text not null check (name ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
      criticality text not null default 'standard' check (criticality in ('standard', 'production')),
      engine text not null default 'opentofu' check (engine in ('opentofu')),
      source_kind text not null default 'inline' check (source_kind in ('inline', 'git')),
      source jsonb not null default '{}',
      cloud_account_id integer,
      git_connection_id integer,
      path text not null default '',
      auto_apply boolean not null default false,
      cost_limit_monthly numeric(30, 12),
      unpriced text not null default 'deny' check (unpriced in ('deny', 'allow')),
      -- Raised by every apply attempt and by every recovery; a writer with an older number is a zombie.
      fence integer not null default 0,
      needs_refresh boolean not null default false,
      last_applied_at timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      unique (organization_id, id)
    );
    create unique index workspaces_name on workspaces (organization_id, lower(name));

    create table configuration_versions (
      id integer generated always as identity primary key,
      organization_id integer not null,
      workspace_id integer not null,
      number integer not null,
      source text not null default 'api' check (source in ('api', 'git')),
      commit_sha text,
      author_user_ids integer[] not null default '{}',
      unknown_author boolean not null default false,
      files bytea not null,
      files_sha256 text not null,
      file_names text[] not null,
      size_bytes integer not null,
      created_at timestamptz not null default now(),
      unique (organization_id, id),
      unique (workspace_id, number),
      foreign key (organization_id, workspace_id) references workspaces (organization_id, id) on delete cascade
    );
    create index configuration_versions_workspace on configuration_versions (organization_id, workspace_id);

    create table workspace_variables (
      id integer generated always as identity primary key,
      organization_id integer not null,
      workspace_id integer not null,
      key text not null,
      kind text not null check (kind in ('terraform', 'env')),
      sensitive boolean not null default false,
      value bytea not null,
      -- Keyed, so that a dump of the table does not let anyone test guesses of a value.
      value_mac bytea not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      unique (organization_id, id),
      unique (workspace_id, kind, key),
      foreign key (organization_id, workspace_id) references workspaces (organization_id, id) on delete cascade
    );
    create index workspace_variables_workspace on workspace_variables (organization_id, workspace_id);

    -- Who changed what a run will do is among its authors until an apply includes the change.
    create table workspace_authorship (
      id integer generated always as identity primary key,
      organization_id integer not null,
      workspace_id integer not null,
      user_id integer not null,
      what text not null,
      at timestamptz not null default now(),
      applied_at timestamptz,
      foreign key (organization_id, workspace_id) references workspaces (organization_id, id) on delete cascade,
      foreign key (organization_id, user_id) references users (organization_id, id)
    );
    create index workspace_authorship_open on workspace_authorship (organization_id, workspace_id) where applied_at is null;
    create index workspace_authorship_workspace on workspace_authorship (organization_id, workspace_id);
    create index workspace_authorship_user on workspace_authorship (organization_id, user_id);

    create table state_versions (
      id integer generated always as identity primary key,
      organization_id integer not null,
      workspace_id integer not null,
      serial bigint not null,
      lineage text not null,
      body bytea not null,
      body_sha256 text not null,
      status text not null default 'finalized' check (status in ('finalized', 'quarantined')),
      reason text,
      workspace_run_id integer,
      user_id integer,
      created_by text not null,
      created_at timestamptz not null default now(),
      unique (organization_id, id),
      foreign key (organization_id, workspace_id) references workspaces (organization_id, id) on delete cascade,
      foreign key (organization_id, user_id) references users (organization_id, id)
    );
    create unique index state_versions_serial on state_versions (workspace_id, serial) where status = 'finalized';
    create index state_versions_newest on state_versions (organization_id, workspace_id, serial desc);
    create index state_versions_user on state_versions (organization_id, user_id);

    -- One holder a workspace: a person, a run, or somebody's own tofu.
    create table workspace_locks (
      workspace_id integer primary key,
      organization_id integer not null,
      kind text not null check (kind in ('user', 'run', 'cli')),
      lock_id text,
      info jsonb,
      user_id integer,
      workspace_run_id integer,
      label text not null,
      reason text,
      since timestamptz not null default now(),
      foreign key (organization_id, workspace_id) references workspaces (organization_id, id) on delete cascade,
      foreign key (organization_id, user_id) references users (organization_id, id)
    );
    create index workspace_locks_workspace on workspace_locks (organization_id, workspace_id);
    create index workspace_locks_user on workspace_locks (organization_id, user_id);

    create table policies (
      id integer generated always as identity primary key,
      organization_id integer not null references organizations,
      name text not null,
      rego text not null,
      enforcement text not null check (enforcement in ('mandatory', 'advisory')),
      workspaces jsonb not null,
      version integer not null default 1,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      unique (organization_id, id)
    );
    create unique index policies_name on policies (organization_id, lower(name));

    create table prices (
      id integer generated always as identity primary key,
      organization_id integer not null references organizations,
      provider text not null,
      resource_type text not null,
      match jsonb not null default '{}',
      monthly_price numeric(30, 12) not null,
      currency text not null check (currency ~ '^[A-Z]{3}$'),
      source text not null default 'manual',
      valid_from date not null default current_date,
      version integer not null default 1,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      unique (organization_id, id)
    );
    create index prices_type on prices (organization_id, resource_type);
  `)
  for (const table of [
    'workspaces',
    'configuration_versions',
    'workspace_variables',
    'workspace_authorship',
    'state_versions',
    'workspace_locks',
    'policies',
    'prices',
  ])
    await protectTable(knex, table)
}
