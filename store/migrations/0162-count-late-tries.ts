import type { Knex } from 'knex'

/**
 * Answers that came too late of a part were counted with the tries in which a cloud did not answer at all, so that one
 * more made the account `unreachable`.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table cloud_accounts add column late_tries integer not null default 0')
}
