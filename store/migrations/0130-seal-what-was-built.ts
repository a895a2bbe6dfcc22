import type { Knex } from 'knex'

/**
 * What a build made is signed a moment later, by another activity. Until then it is sealed, so that who can write this
 * database cannot have other bytes signed (docs/decisions/0206).
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table artifacts
      -- Sealed: JSON. Null for what was built before this was kept.
      add column built bytea;
  `)
}
