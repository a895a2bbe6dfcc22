import type { Knex } from 'knex'

/**
 * One organization held all slots of a worker with builds of an hour. A step over its organization's
 * share is handed back now; this says since when its run waits (docs/decisions/0117).
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table application_runs add column waits_for_slot_since timestamptz')
}
