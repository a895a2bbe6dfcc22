import type { Knex } from 'knex'

/**
 * Bills that are loaded are read again once other keys are one tag. The mark of a slice says that its tags are still
 * those of before, so that the next look does not take its files for unchanged.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`alter table billing_slices add column read_again boolean not null default false`)
}
