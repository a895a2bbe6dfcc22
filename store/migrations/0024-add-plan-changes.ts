import type { Knex } from 'knex'
import { protectTable } from '../protect-table.ts'

/** A plan is read by pages of rows: its whole document is opened by nothing that a reader asks for. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Null in plans of before: they have no rows.
    alter table plans add column overview jsonb;
    -- Of the resources in the plan, each once: they name the prices that it asks for.
    alter table plans add column resource_types text[];

    -- Sealed batches of rows, each row one change of the plan, numbered from 1 without a gap.
    create table plan_changes (
      organization_id integer not null,
      workspace_run_id integer not null,
      first_seq integer not null,
      last_seq integer not null,
      body bytea not null,
      primary key (organization_id, workspace_run_id, last_seq),
      foreign key (organization_id, workspace_run_id)
        references workspace_runs (organization_id, id) on delete cascade
    );
    -- It is sealed, so that to compress it is time lost.
    alter table plan_changes alter column body set storage external;
  `)
  await protectTable(knex, 'plan_changes')
}
