import type { Knex } from 'knex'

/** When the bills of each account are read next, and which uploads are still being received. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Accounts that are there already are spread over an hour.
    alter table cloud_accounts add column next_ingest_at timestamptz not null default now();
    update cloud_accounts set next_ingest_at = now() + make_interval(secs => id % 3600);
    create index cloud_accounts_next_ingest on cloud_accounts (next_ingest_at)
      where disconnected_at is null and billing is not null;

    -- A receiver notes each chunk: one that stopped noting is gone, and what it stored is deleted.
    alter table billing_uploads add column touched_at timestamptz not null default now();
    create index billing_uploads_receiving on billing_uploads (touched_at) where state = 'receiving';

    -- An upload that cannot be read tells no month.
    alter table billing_slices alter column period drop not null;
    alter table billing_slices add check (period is not null or state in ('reading', 'refused'));
  `)
}
