import type { Knex } from 'knex'

/** Lists of runs show who wrote the commit that a run was planned from, and what it says. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table configuration_versions
      add column commit_author text check (char_length(commit_author) <= 300),
      add column commit_message text check (char_length(commit_message) <= 4000);
  `)
}
