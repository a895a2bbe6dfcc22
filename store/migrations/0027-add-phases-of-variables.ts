import type { Knex } from 'knex'

/** A variable can be there for the plan alone, or for the apply alone: a plan needs no approval. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table workspace_variables
      add column phase text not null default 'both' check (phase in ('plan', 'apply', 'both')),
      -- An apply takes other values of OpenTofu's variables than those of its plan, so they have no phase.
      add constraint workspace_variables_phase_kind check (kind = 'env' or phase = 'both');
  `)
}
