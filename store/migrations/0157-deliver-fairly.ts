import type { Knex } from 'knex'

/**
 * The outbox is claimed by organization (store/platform/outbox-queue.ts); rows of none are a line of their own.
 * Its predicate is none that another index has.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create index outbox_lines on outbox (coalesce(organization_id, 0), available_at, id)
      where coalesce(done_at, dead_at) is null;
    drop index outbox_waiting;
  `)
}
