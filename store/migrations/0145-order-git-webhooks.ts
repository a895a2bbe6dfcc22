import type { Knex } from 'knex'

/**
 * Two registrations of one webhook list, delete and create at the same time, and leave several of it, or none: they
 * take turns. A pull request whose branch is set back to an older commit shows the plans of that commit again.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- The lease of a registration under way.
    alter table git_connections add column webhook_busy_until timestamptz;
    -- The commit that the comment is about; null where none was looked into since.
    alter table git_pull_requests add column head_sha text;
  `)
}
