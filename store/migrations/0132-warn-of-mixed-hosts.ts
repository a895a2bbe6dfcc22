import type { Knex } from 'knex'

/**
 * What a run of an application leaves behind that has no deployment of its own: a rollback that stopped another one,
 * and then ended before it began.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table application_runs add column warnings text[] not null default '{}';
  `)
}
