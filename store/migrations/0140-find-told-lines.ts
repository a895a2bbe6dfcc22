import type { Knex } from 'knex'

/**
 * A page of a run shows what failed and what became of each resource. Both are few of a log's lines, and a page must
 * not read the others: logs are as long as the author of a configuration likes.
 * The organization is a column, so that the planner prefers these indexes to the primary key, also without
 * statistics of a new table (docs/decisions/0216).
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create index log_lines_problems on log_lines (organization_id, stage_id, seq) where level in ('warn', 'error');
    create index log_lines_outcomes on log_lines (organization_id, stage_id, seq)
      where line ~ ': (Creation|Modifications|Destruction) (complete|errored) after [0-9]';
  `)
}
