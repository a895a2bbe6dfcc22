import type { Knex } from 'knex'

/** A connection that failed is asked again, ever more rarely; and a hydrate knows the run that wanted it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table git_connections add column failed_checks integer not null default 0;

    alter table git_hydrations add column workspace_run_id integer,
      add foreign key (organization_id, workspace_run_id) references workspace_runs (organization_id, id)
        on delete set null (workspace_run_id);
    create index git_hydrations_workspace_run on git_hydrations (organization_id, workspace_run_id);
  `)
}
