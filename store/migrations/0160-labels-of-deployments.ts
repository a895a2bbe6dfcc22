import type { Knex } from 'knex'

/**
 * The labels that a host of a deployment must have. While a deployment waits for hosts they are needed every few
 * seconds, and to check the manifest again would take the worker up to 31 ms each time.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table deployments add column labels jsonb')
}
