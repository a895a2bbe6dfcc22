import type { Knex } from 'knex'

/**
 * Six right passwords at one moment locked an address, since a try counted as failed until it
 * had succeeded. Tries under way and failures are counted apart: both bound the tries, only
 * failures lock. A try that has not said how it ended by `in_flight_until` counts as failed.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table sign_in_failures
      add column in_flight integer not null default 0,
      add column in_flight_until timestamptz not null default now();
  `)
}
