import type { Knex } from 'knex'

/**
 * A request computes the figures of a few budgets, and marks the others: the task `compute-budgets` of the workers
 * computes those. The time is that from which a worker may claim them.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table budget_figures add column wanted_at timestamptz;
    create index budget_figures_wanted on budget_figures (wanted_at) where wanted_at is not null;
  `)
}
