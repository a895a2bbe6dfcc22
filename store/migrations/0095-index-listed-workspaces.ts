import type { Knex } from 'knex'

/**
 * The list of workspaces is ordered by name, by criticality, or by the newest run, which the pipeline
 * of the workspace names. Run ids rise with time, so their order is the order of the starts. Names
 * are lower-case: the index by `lower(name)` has their order too, but a page could not start in its
 * middle, because row-level security is checked before a function that could leak a value. The list
 * of pipelines leaves out those that workspaces brought.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create index workspaces_ordered on workspaces (organization_id, name);
    create index workspaces_criticality on workspaces (organization_id, criticality, name);
    create index pipelines_newest_run on pipelines
      (organization_id, (coalesce(last_workspace_run_id, 0)), target_workspace_id) where managed;
    create index pipelines_own on pipelines (organization_id, id) where not managed;
  `)
}
