import type { Knex } from 'knex'

/** A workspace with 200 variables needs to say what each is for. No run reads it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table workspace_variables
      add column description text not null default '' check (length(description) <= 500)
  `)
}
