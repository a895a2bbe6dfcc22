import type { Knex } from 'knex'

/** Each pipeline names its newest run, so that a list of them looks none up among all the runs there are. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table pipelines
      add column last_workspace_run_id integer,
      add constraint pipelines_organization_id_last_workspace_run_id_fkey
        foreign key (organization_id, last_workspace_run_id) references workspace_runs (organization_id, id)
        on delete set null (last_workspace_run_id);
    create index pipelines_last_workspace_run on pipelines (organization_id, last_workspace_run_id);
    update pipelines p set last_workspace_run_id = newest.workspace_run_id
    from (
      select distinct on (pipeline_id) pipeline_id, number, workspace_run_id
      from pipeline_runs order by pipeline_id, number desc) newest
    where newest.pipeline_id = p.id and newest.number = p.last_number;
  `)
}
