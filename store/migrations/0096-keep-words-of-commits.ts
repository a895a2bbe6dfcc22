import type { Knex } from 'knex'

/**
 * Lists of runs show who wrote the commit that a run was planned from, and what it says. The types
 * hold the limits, because a check would read the whole table while it is locked.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table configuration_versions
      add column commit_author varchar(300),
      add column commit_message varchar(4000);
  `)
}
