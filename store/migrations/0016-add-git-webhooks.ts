import type { Knex } from 'knex'
import { protectTable } from '../protect-table.ts'

/** What a Git host tells us of: pushes and pull requests, each once, and the plans of pull requests. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table git_connections
      -- Sealed.
      add column webhook_secret bytea,
      add column webhook_url text,
      -- Whether this host signs what it sends, so that what is not signed is not from there.
      add column webhook_signed boolean not null default false,
      add column webhook_state text not null default 'none'
        check (webhook_state in ('none', 'pending', 'active', 'unavailable')),
      add column webhook_reason text;

    create table git_deliveries (
      id integer generated always as identity primary key,
      organization_id integer not null,
      connection_id integer not null,
      -- The host's own id of it: sent again, it is known.
      delivery_id text not null,
      branches text[] not null default '{}',
      pull_request integer,
      outcome text,
      received_at timestamptz not null default now(),
      handled_at timestamptz,
      unique (organization_id, id),
      foreign key (organization_id, connection_id) references git_connections (organization_id, id) on delete cascade
    );
    create unique index git_deliveries_once on git_deliveries (connection_id, delivery_id);
    create index git_deliveries_connection on git_deliveries (organization_id, connection_id);
    create index git_deliveries_received on git_deliveries (received_at);

    create table git_pull_requests (
      id integer generated always as identity primary key,
      organization_id integer not null,
      connection_id integer,
      repo text not null,
      number integer not null,
      -- The host's own id of our one comment, once it is there.
      comment_id text,
      -- Of several writers of the comment one at a time; one that died gives it back by itself.
      busy_until timestamptz,
      -- Workspace id to why it could not be planned, in our own words.
      faults jsonb not null default '{}',
      created_at timestamptz not null default now(),
      unique (organization_id, id),
      foreign key (organization_id, connection_id) references git_connections (organization_id, id) on delete set null (connection_id)
    );
    create unique index git_pull_requests_number on git_pull_requests (connection_id, repo, number);
    create index git_pull_requests_connection on git_pull_requests (organization_id, connection_id);

    -- Of a pull request: planned, never applied, and never the workspace's own configuration.
    alter table configuration_versions add column pull_request_id integer,
      add foreign key (organization_id, pull_request_id) references git_pull_requests (organization_id, id);
    create index configuration_versions_pull_request on configuration_versions (organization_id, pull_request_id);

    -- A push and a pull request are nobody's here; whoever committed is among the version's authors.
    alter table workspace_runs alter column author_user_id drop not null;
  `)
  for (const table of ['git_deliveries', 'git_pull_requests']) await protectTable(knex, table)
}
