import type { Knex } from 'knex'
import { protectTable } from '../protect-table.ts'

/** Prices that are learned from the organization's own bill, and the types that stay without one. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- From now on this source is that of learned prices alone.
    update prices set source = 'manual' where source = 'bill';
    alter table prices
      -- A price that is switched off is kept, and judges nothing.
      add column enabled boolean not null default true,
      -- { sampleSize, spread, from, to, region } of a price that was learned; null of a person's.
      add column learned jsonb,
      -- Of provider, type, region and match: what the next learning finds the same price by.
      add column learned_key uuid,
      add constraint prices_learned_check
        check ((learned is not null) = (source = 'bill') and (learned is null) = (learned_key is null));
    create unique index prices_learned on prices (organization_id, learned_key) where learned_key is not null;

    -- What the bill has of workspaces' resources without a price that could be learned, and why.
    create table unlearned_prices (
      id integer generated always as identity primary key,
      organization_id integer not null references organizations,
      key uuid not null,
      provider text not null,
      resource_type text not null,
      match jsonb not null,
      region text,
      because text not null,
      sample_size integer not null,
      spread double precision,
      from_day date not null,
      to_day date not null,
      unique (organization_id, key)
    );

    -- Which version of an organization's cost its prices were learned from.
    create table price_learnings (
      organization_id integer primary key references organizations,
      -- Noted before the work, so that of two workers one learns, and a failed learning is not repeated at once.
      claimed_version bigint not null,
      claimed_at timestamptz not null,
      learned_version bigint,
      learned_at timestamptz,
      currency text
    );
  `)
  for (const table of ['unlearned_prices', 'price_learnings']) await protectTable(knex, table)
}
