import type { Knex } from 'knex'
import { protectTable } from '../protect-table.ts'

/** Cloud accounts, and the external id that an organization's AWS roles ask for. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Chosen here and never by a caller: an attacker who chooses the external id of another
    -- organization could have this service assume that organization's role (confused deputy).
    alter table organizations
      add column external_id text not null unique default 'cc-' || gen_random_uuid();

    create table cloud_accounts (
      id integer generated always as identity primary key,
      organization_id integer not null references organizations,
      provider text not null check (provider in ('aws', 'azure', 'gcp')),
      account_id text not null,
      name text not null,
      -- Sealed. Null once it is disconnected.
      credentials bytea,
      credentials_kind text not null check (credentials_kind in ('federation', 'keys')),
      -- Sealed, for it may have a signature or a key; beside it what readers see of it.
      billing bytea,
      billing_shown jsonb,
      -- Null: all regions.
      regions text[],
      endpoint text,
      endpoints jsonb not null default '{}',
      runs jsonb,
      sync_interval_minutes integer not null default 60,
      ingest_interval_hours integer not null default 24,
      status text not null default 'pending'
        check (status in ('pending', 'healthy', 'degraded', 'invalid_credentials', 'unreachable')),
      status_reason text,
      checks jsonb not null default '[]',
      -- Validations in a row to which the cloud did not answer.
      failed_tries integer not null default 0,
      next_sync_at timestamptz not null default now(),
      validated_at timestamptz,
      -- Its cost stays, so the row does: connected again, it goes on under the same id.
      disconnected_at timestamptz,
      -- Raised by each change of what a validation depends on: an older finding is dropped.
      version integer not null default 1,
      created_by integer,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      check ((credentials is null) = (disconnected_at is not null)),
      unique (organization_id, id),
      constraint cloud_accounts_account unique (organization_id, provider, account_id),
      foreign key (organization_id, created_by) references users (organization_id, id)
    );
    create index cloud_accounts_created_by on cloud_accounts (organization_id, created_by);
    create index cloud_accounts_due on cloud_accounts (next_sync_at) where disconnected_at is null;

    alter table workspaces add foreign key (organization_id, cloud_account_id)
      references cloud_accounts (organization_id, id) on delete set null (cloud_account_id);
    create index workspaces_cloud_account on workspaces (organization_id, cloud_account_id);
  `)
  await protectTable(knex, 'cloud_accounts')
}
