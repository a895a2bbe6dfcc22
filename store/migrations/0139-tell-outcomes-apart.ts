import type { Knex } from 'knex'

/** The history of runs tells those that were stopped before their apply from failures, so its indexes have the reason. */
export async function up(knex: Knex): Promise<void> {
  const columns =
    '(kind, phase, reason, created_at, started_at, changes) where ended_at is not null'
  await knex.raw(`
    drop index workspace_runs_history, workspace_runs_history_of_workspace;
    create index workspace_runs_history on workspace_runs (organization_id, ended_at)
      include ${columns};
    create index workspace_runs_history_of_workspace on workspace_runs (organization_id, workspace_id, ended_at)
      include ${columns};
  `)
}
