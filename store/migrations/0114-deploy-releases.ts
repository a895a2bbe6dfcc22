import type { Knex } from 'knex'

/**
 * What a run of an application needs to be deployed: its pipeline, so that one run of it deploys at a
 * time; where its artifact is another run's; its strategy with all defaults; and the commits since the
 * last good deployment, which its approver is shown.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table application_runs
      add column pipeline_id integer,
      -- A promotion and a rollback deploy the artifact that this run built; null: the run's own.
      add column artifact_run_id integer,
      -- The run whose release comes back.
      add column rollback_of integer,
      -- With all that its definition leaves out; null before its manifest is read.
      add column resolved_strategy jsonb,
      -- Newest first, as { sha, author, message }.
      add column commits jsonb not null default '[]',
      add column commits_truncated boolean not null default false,
      -- The run by whose approval a rollback is deployed without another one.
      add column approved_before integer;
    update application_runs a set pipeline_id = r.pipeline_id
      from pipeline_runs r where r.organization_id = a.organization_id and r.id = a.pipeline_run_id;
    alter table application_runs
      alter column pipeline_id set not null,
      add constraint application_runs_organization_id_pipeline_id_fkey
        foreign key (organization_id, pipeline_id) references pipelines (organization_id, id) on delete cascade,
      add constraint application_runs_organization_id_artifact_run_id_fkey
        foreign key (organization_id, artifact_run_id)
        references application_runs (organization_id, pipeline_run_id) on delete set null (artifact_run_id),
      add constraint application_runs_organization_id_rollback_of_fkey
        foreign key (organization_id, rollback_of)
        references application_runs (organization_id, pipeline_run_id) on delete set null (rollback_of),
      add constraint application_runs_organization_id_approved_before_fkey
        foreign key (organization_id, approved_before)
        references application_runs (organization_id, pipeline_run_id) on delete set null (approved_before);
    create index application_runs_pipeline on application_runs (organization_id, pipeline_id);
    create index application_runs_artifact_run on application_runs (organization_id, artifact_run_id);
    create index application_runs_rollback_of on application_runs (organization_id, rollback_of);
    create index application_runs_approved_before on application_runs (organization_id, approved_before);
    create unique index application_runs_deploying on application_runs (pipeline_id)
      where phase in ('deploying', 'rolling_back');

    -- The reconciler looks at every run that has a workflow.
    drop index application_runs_working;
    create index application_runs_working on application_runs (pipeline_run_id) where phase in
      ('queued', 'sourcing', 'building', 'awaiting_approval', 'deploy_queued', 'deploying', 'rolling_back');

    -- A mail about an approval is of a run of either kind.
    alter table mails
      add column application_run_id integer,
      drop constraint mails_check,
      add constraint mails_run_check check
        ((kind = 'approval_waiting') = (num_nonnulls(workspace_run_id, application_run_id) = 1)),
      add constraint mails_organization_id_application_run_id_fkey
        foreign key (organization_id, application_run_id)
        references application_runs (organization_id, pipeline_run_id) on delete cascade;
    create index mails_application_run on mails (organization_id, application_run_id);
    create unique index mails_of_application_once on mails
      (organization_id, application_run_id, user_id, coalesce(detail ->> 'stage', ''));
  `)
}
