import type { Knex } from 'knex'

/**
 * What hosts are to run for a deployment is signed when it begins, so that who can write this database cannot have
 * them run other files, for longer, or with other variables (docs/decisions/0205).
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table deployments
      -- A DSSE envelope. Null for a deployment that began before there were orders.
      add column signed_order jsonb;
  `)
}
