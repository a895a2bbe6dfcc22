import type { Knex } from 'knex'
import { protectTable } from '../protect-table.ts'

/**
 * When an account is validated next, and the keys of each organization's token issuer. The public half is derived from the sealed private
 * one: an attacker who can write rows could otherwise publish a key of their own.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table issuer_keys (
      id integer generated always as identity primary key,
      organization_id integer not null references organizations,
      -- Sealed: PKCS #8.
      private_key bytea not null,
      -- Published from the row's creation on. It signs until the next one does.
      signs_from timestamptz not null,
      created_at timestamptz not null default now(),
      unique (organization_id, id)
    );
    create index issuer_keys_newest on issuer_keys (organization_id, signs_from desc);

    -- Claimed by moving it on, so that of several workers one validates the account.
    alter table cloud_accounts add column next_validation_at timestamptz not null default now();
    create index cloud_accounts_unvalidated on cloud_accounts (next_validation_at)
      where disconnected_at is null;
  `)
  await protectTable(knex, 'issuer_keys')
}
