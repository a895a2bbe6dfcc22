import type { Knex } from 'knex'

/** What a plan was made of goes into its apply: a module's branch or tag may have moved by then. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Sealed: the modules that were fetched, as an archive.
    alter table plans add column modules bytea;
    -- It is compressed and then sealed, so that to compress it again is time lost.
    alter table plans alter column modules set storage external;
  `)
}
