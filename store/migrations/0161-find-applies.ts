import type { Knex } from 'knex'

/**
 * What is masked in a plan or a state includes the overrides of the last applies. Without an index of its own they were
 * looked for among all runs of the workspace, which may be plans by the thousand.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    `create index workspace_runs_applies on workspace_runs (organization_id, workspace_id, id desc) where kind = 'apply'`,
  )
}
