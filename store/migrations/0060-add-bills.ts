import type { Knex } from 'knex'
import { protectTable } from '../protect-table.ts'

/** Where bills come from, each look at them, and the files that people upload. */
export async function up(knex: Knex): Promise<void> {
  await addLooks(knex)
  await addUploads(knex)
  for (const table of tables) await protectTable(knex, table)
}

const tables = [
  'billing_sources',
  'billing_ingests',
  'billing_ingest_sources',
  'billing_slices',
  'billing_uploads',
  'billing_upload_files',
  'billing_upload_chunks',
]

async function addLooks(knex: Knex): Promise<void> {
  await knex.raw(`
    create table billing_sources (
      id integer generated always as identity primary key,
      organization_id integer not null references organizations,
      -- A cloud account, or the name that uploads are given.
      cloud_account_id integer,
      name text,
      created_at timestamptz not null default now(),
      -- Nobody sees it or its cost any more; both are deleted later, in parts.
      removed_at timestamptz,
      check (num_nonnulls(cloud_account_id, name) = 1),
      unique (organization_id, id),
      foreign key (organization_id, cloud_account_id) references cloud_accounts (organization_id, id)
    );
    create index billing_sources_cloud_account on billing_sources (organization_id, cloud_account_id);
    create unique index billing_sources_account on billing_sources (organization_id, cloud_account_id)
      where removed_at is null;
    create unique index billing_sources_name on billing_sources (organization_id, name) where removed_at is null;
    create index billing_sources_removed on billing_sources (organization_id, id) where removed_at is not null;

    -- One look at all sources of an organization.
    create table billing_ingests (
      id integer generated always as identity primary key,
      organization_id integer not null references organizations,
      trigger text not null check (trigger in ('schedule', 'request', 'connect', 'upload')),
      state text not null default 'running' check (state in ('running', 'succeeded', 'partial', 'failed')),
      -- Somebody asked for an ingest while it ran, and is to be given what came meanwhile.
      look_again boolean not null default false,
      started_at timestamptz not null default now(),
      ended_at timestamptz,
      rows_read bigint not null default 0,
      records_upserted bigint not null default 0,
      records_rejected bigint not null default 0,
      anomalies integer not null default 0,
      check ((ended_at is null) = (state = 'running')),
      unique (organization_id, id)
    );
    -- One live ingest an organization: a second request joins it.
    create unique index billing_ingests_live on billing_ingests (organization_id) where state = 'running';

    -- What became of each source in it.
    create table billing_ingest_sources (
      organization_id integer not null,
      ingest_id integer not null,
      source_id integer not null,
      state text not null
        check (state in ('waiting', 'loaded', 'unchanged', 'partial', 'failed', 'skipped')),
      reason text,
      primary key (organization_id, ingest_id, source_id),
      foreign key (organization_id, ingest_id) references billing_ingests (organization_id, id) on delete cascade,
      foreign key (organization_id, source_id) references billing_sources (organization_id, id) on delete cascade
    );
    create index billing_ingest_sources_source on billing_ingest_sources (organization_id, source_id, ingest_id);
  `)
  await knex.raw(slices)
}

const slices = `
  -- A look at one billing period of a source. Charges and sums name the look that brought them, and
  -- are seen only while it is the current one: to replace a slice moves a mark, and no row.
  create table billing_slices (
    id integer generated always as identity primary key,
    organization_id integer not null,
    ingest_id integer not null,
    source_id integer not null,
    -- The first day of the billing month.
    period date not null check (extract(day from period) = 1),
    state text not null check (state in ('reading', 'loaded', 'unchanged', 'waiting', 'refused', 'suspect',
      'discarded', 'superseded')),
    is_current boolean not null default false,
    -- Why it waits, is suspect or was refused.
    reason text,
    manifest text,
    -- Of its files' keys, sizes and etags: the same hash is the same export.
    manifest_hash text,
    focus_version text,
    files integer not null default 0,
    rows_read bigint not null default 0,
    -- Those at day grain.
    records integer not null default 0,
    -- Of them, against the slice that was replaced: those that are new or differ, and those that are gone.
    records_upserted integer not null default 0,
    records_removed integer not null default 0,
    records_rejected integer not null default 0,
    billed numeric(30,12) not null default 0,
    effective numeric(30,12) not null default 0,
    list numeric(30,12) not null default 0,
    -- Null where it has none, or several.
    currency text,
    -- The bill's own names of each provider: {"aws": ["Amazon Web Services"]}.
    provider_names jsonb not null default '{}',
    days integer not null default 0,
    first_day date,
    last_day date,
    complete_through date,
    -- The first places that could not be read: [{ file, row, column, message }].
    errors jsonb not null default '[]',
    -- Rows of other tables may name it, which are deleted when it is no longer needed.
    has_charges boolean not null default false,
    -- When its sums were made.
    rolled_up_at timestamptz,
    began_at timestamptz not null default now(),
    loaded_at timestamptz,
    -- Who accepted or discarded it, where it was suspect.
    decided_by integer,
    decided_at timestamptz,
    check (not is_current or state = 'loaded'),
    unique (organization_id, id),
    foreign key (organization_id, ingest_id) references billing_ingests (organization_id, id),
    foreign key (organization_id, source_id) references billing_sources (organization_id, id),
    foreign key (organization_id, decided_by) references users (organization_id, id)
  );
  create unique index billing_slices_current on billing_slices (organization_id, source_id, period)
    where is_current;
  create unique index billing_slices_reading on billing_slices (organization_id, source_id, period)
    where state = 'reading';
  create unique index billing_slices_suspect on billing_slices (organization_id, source_id, period)
    where state = 'suspect';
  create index billing_slices_source on billing_slices (organization_id, source_id, period, id);
  create index billing_slices_ingest on billing_slices (organization_id, ingest_id, id);
  create index billing_slices_decided_by on billing_slices (organization_id, decided_by);
  create index billing_slices_forgettable on billing_slices (organization_id, id)
    where has_charges and not is_current and state in ('refused', 'discarded', 'superseded')`

async function addUploads(knex: Knex): Promise<void> {
  await knex.raw(`
    create table billing_uploads (
      id integer generated always as identity primary key,
      organization_id integer not null,
      source_id integer not null,
      -- The ingest that read it.
      ingest_id integer,
      state text not null default 'receiving' check (state in ('receiving', 'waiting', 'taken', 'done')),
      created_by integer,
      created_at timestamptz not null default now(),
      unique (organization_id, id),
      foreign key (organization_id, source_id) references billing_sources (organization_id, id) on delete cascade,
      foreign key (organization_id, ingest_id) references billing_ingests (organization_id, id),
      foreign key (organization_id, created_by) references users (organization_id, id)
    );
    create index billing_uploads_source on billing_uploads (organization_id, source_id, id);
    create index billing_uploads_ingest on billing_uploads (organization_id, ingest_id);
    create index billing_uploads_created_by on billing_uploads (organization_id, created_by);
    create index billing_uploads_open on billing_uploads (organization_id, id) where state <> 'done';

    create table billing_upload_files (
      id integer generated always as identity primary key,
      organization_id integer not null,
      upload_id integer not null,
      name text not null,
      bytes bigint not null default 0,
      -- Null until it was received whole.
      sha256 text,
      unique (organization_id, id),
      foreign key (organization_id, upload_id) references billing_uploads (organization_id, id) on delete cascade
    );
    create index billing_upload_files_upload on billing_upload_files (organization_id, upload_id, id);

    create table billing_upload_chunks (
      organization_id integer not null,
      file_id integer not null,
      number integer not null,
      sealed bytea not null,
      primary key (organization_id, file_id, number),
      foreign key (organization_id, file_id) references billing_upload_files (organization_id, id) on delete cascade
    );
    -- Sealed bytes do not compress.
    alter table billing_upload_chunks alter column sealed set storage external;
  `)
}
