import type { Knex } from 'knex'
import { protectTable } from '../protect-table.ts'

/** Git connections, the owner of each branch, and what was written to it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table git_connections (
      id integer generated always as identity primary key,
      organization_id integer not null references organizations,
      provider text not null check (provider in ('github', 'gitlab', 'bitbucket')),
      product text not null check (product in ('github', 'gitlab', 'bitbucket-cloud', 'bitbucket-data-center')),
      host text not null,
      origin text not null,
      -- Sealed.
      token bytea not null,
      repo_type text not null check (repo_type in ('infra', 'application')),
      default_repo text,
      default_branch text,
      status text not null check (status in ('healthy', 'invalid_token', 'unreachable', 'initializing', 'error')),
      status_reason text,
      checked_at timestamptz not null default now(),
      created_by integer,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      unique (organization_id, id),
      foreign key (organization_id, created_by) references users (organization_id, id)
    );
    create index git_connections_checked on git_connections (checked_at);
    create index git_connections_created_by on git_connections (organization_id, created_by);

    -- One owner a branch, over all organizations. The repository is the provider's own id, so that
    -- names, case, ".git", ssh and https of one repository are one row.
    create table git_claims (
      connection_id integer primary key,
      organization_id integer not null,
      host text not null,
      repository_id text not null,
      branch text not null,
      -- Of several writers one at a time; a writer that died gives it back by itself.
      busy_with integer,
      busy_until timestamptz,
      created_at timestamptz not null default now(),
      foreign key (organization_id, connection_id) references git_connections (organization_id, id) on delete cascade
    );
    create unique index git_claims_branch on git_claims (host, repository_id, branch);
    create index git_claims_connection on git_claims (organization_id, connection_id);

    create table git_hydrations (
      id integer generated always as identity primary key,
      organization_id integer not null,
      workspace_id integer not null,
      connection_id integer,
      configuration_version_id integer not null,
      repository_id text not null,
      branch text not null,
      state text not null default 'queued'
        check (state in ('queued', 'written', 'proposed', 'diverged', 'superseded', 'failed')),
      reason text,
      decision text check (decision in ('theirs', 'ours')),
      commit_sha text,
      pull_request_url text,
      -- Path to blob id of what was written or proposed.
      files jsonb,
      -- Of files that somebody else changed: sealed, like the configuration itself.
      differences bytea,
      created_at timestamptz not null default now(),
      ended_at timestamptz,
      unique (organization_id, id),
      foreign key (organization_id, workspace_id) references workspaces (organization_id, id) on delete cascade,
      foreign key (organization_id, connection_id) references git_connections (organization_id, id) on delete set null (connection_id),
      foreign key (organization_id, configuration_version_id) references configuration_versions (organization_id, id) on delete cascade
    );
    create index git_hydrations_workspace on git_hydrations (organization_id, workspace_id, id desc);
    create index git_hydrations_connection on git_hydrations (organization_id, connection_id);
    create index git_hydrations_version on git_hydrations (organization_id, configuration_version_id);

    alter table workspaces add foreign key (organization_id, git_connection_id)
      references git_connections (organization_id, id) on delete set null (git_connection_id);
    create index workspaces_git_connection on workspaces (organization_id, git_connection_id);
  `)
  for (const table of ['git_connections', 'git_claims', 'git_hydrations'])
    await protectTable(knex, table)
}
