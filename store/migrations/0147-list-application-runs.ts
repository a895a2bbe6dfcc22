import type { Knex } from 'knex'

/**
 * The list of all runs has runs of applications (store/runs/runs-of-filter.ts): each of its filters and orders has an
 * index, as those of `workspace_runs` have. Three of them take the place of the index of a foreign key.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index application_runs_author, application_runs_pipeline, application_runs_target;
    create index application_runs_author on application_runs (organization_id, author_user_id, pipeline_run_id desc);
    create index application_runs_pipeline on application_runs (organization_id, pipeline_id, pipeline_run_id desc);
    create index application_runs_target on application_runs (organization_id, target_workspace_id, pipeline_run_id desc);
    create index application_runs_phase on application_runs (organization_id, phase, pipeline_run_id desc);
    create index application_runs_reason on application_runs (organization_id, reason, pipeline_run_id desc)
      where reason is not null;
    create index application_runs_origin on application_runs (organization_id, origin, pipeline_run_id desc)
      where origin <> 'person';
    create index application_runs_created on application_runs (organization_id, created_at, pipeline_run_id);
    create index application_runs_ended on application_runs (organization_id, ended_at) where ended_at is not null;
    create index application_runs_start_message on application_runs (organization_id, pipeline_run_id desc)
      include (start_message) where start_message is not null;
  `)
}
