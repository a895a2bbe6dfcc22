import type { Knex } from 'knex'

/** The rows of a plan are written while it is made: those of a try that was lost are no part of it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table plan_changes
      add column attempt text not null default '',
      drop constraint plan_changes_pkey,
      add primary key (organization_id, workspace_run_id, attempt, last_seq);
    alter table plan_changes alter column attempt drop default;
  `)
}
