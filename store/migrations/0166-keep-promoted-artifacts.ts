import type { Knex } from 'knex'

/**
 * An artifact that another pipeline promoted outlives the pipeline that built it: the other one's runs and deployments
 * refer to the artifact, and not to the run that built it (store/pipelines/delete-with-artifacts.ts).
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table artifacts
      drop constraint artifacts_organization_id_pipeline_run_id_fkey,
      -- All three are set where the pipeline that built it was deleted: whose changes its builds had until then.
      add column pipeline_deleted_at timestamptz,
      add column author_user_ids integer[],
      add column unknown_author boolean,
      add check (num_nonnulls(pipeline_deleted_at, author_user_ids, unknown_author) in (0, 3));

    -- What a run deploys is not deleted before the run.
    alter table application_runs
      drop constraint application_runs_organization_id_artifact_run_id_fkey;
    -- A start refuses a run without an artifact; one that refers to such a run would stop the upgrade here.
    update application_runs a set artifact_run_id = null
    where a.artifact_run_id is not null and not exists (select from artifacts f
      where f.organization_id = a.organization_id and f.pipeline_run_id = a.artifact_run_id);
    alter table application_runs
      add foreign key (organization_id, artifact_run_id) references artifacts (organization_id, pipeline_run_id);
  `)
}
