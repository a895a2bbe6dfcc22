import type { Knex } from 'knex'

/**
 * Since when a sync lists a resource again that was gone, kept unseen, or known by bills alone. Until the look that
 * found it ends, its place was looked at before that, when it was not seen.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table cloud_resources add column listed_from timestamptz')
}
