import type { Knex } from 'knex'

/**
 * The history of an organization's runs, and that of one workspace: what ended each day, how long it
 * took and how long it waited (store/runs/run-history.ts). Both read a window of days from an index
 * alone, which has the columns. A run enters it once, when it ends, so no step of a run writes to it.
 */
export async function up(knex: Knex): Promise<void> {
  const columns = '(kind, phase, created_at, started_at, changes) where ended_at is not null'
  await knex.raw(`
    alter table workspace_runs add column changes integer generated always as (
      coalesce((summary ->> 'add')::integer, 0) + coalesce((summary ->> 'change')::integer, 0)
        + coalesce((summary ->> 'destroy')::integer, 0)) stored;
    create index workspace_runs_history on workspace_runs (organization_id, ended_at)
      include ${columns};
    create index workspace_runs_history_of_workspace on workspace_runs (organization_id, workspace_id, ended_at)
      include ${columns};
  `)
}
