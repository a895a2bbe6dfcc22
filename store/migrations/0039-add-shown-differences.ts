import type { Knex } from 'knex'

/** Who looks at a divergence has the bounded part of it opened that is shown, not all files. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Sealed. Null where nothing diverged, and for what diverged before there was this column.
    alter table git_hydrations add column shown_differences bytea;
    -- It is sealed, so that to compress it is time lost.
    alter table git_hydrations alter column shown_differences set storage external;
  `)
}
