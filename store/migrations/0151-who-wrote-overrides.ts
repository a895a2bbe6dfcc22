import type { Knex } from 'knex'

/**
 * A rerun has the variables of the run that it repeats. Who wrote them is an author of it too, or they could approve
 * what a colleague only started again.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    `alter table workspace_runs add column overrides_by integer[] not null default '{}'`,
  )
}
