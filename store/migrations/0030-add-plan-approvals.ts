import type { Knex } from 'knex'

/** A plan of files that only their author has seen may wait for a second person before it gets a secret. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table workspace_runs drop constraint workspace_runs_phase_check;
    alter table workspace_runs add constraint workspace_runs_phase_check check (phase in
      ('queued', 'awaiting_plan_approval', 'planning', 'awaiting_approval', 'apply_queued', 'applying',
       'succeeded', 'failed', 'canceled'));
    drop index workspace_runs_live;
    create index workspace_runs_live on workspace_runs (organization_id, id) where phase in
      ('queued', 'awaiting_plan_approval', 'planning', 'awaiting_approval', 'apply_queued', 'applying');
    create index workspace_runs_plan_approval on workspace_runs (approval_expires_at)
      where phase = 'awaiting_plan_approval';

    -- Of the plan: that its files may be planned. Of the approve stage: that the plan may be applied.
    alter table approvals add column stage text not null default 'approve' check (stage in ('plan', 'approve'));
    drop index approvals_standing;
    create unique index approvals_standing on approvals (workspace_run_id, stage) where voided_at is null;

    -- A person is told of both, once each.
    alter table mails drop constraint mails_organization_id_workspace_run_id_user_id_key;
    create unique index mails_once on mails
      (organization_id, workspace_run_id, user_id, coalesce(detail ->> 'stage', ''));

    create index configuration_versions_files on configuration_versions (organization_id, workspace_id, files_sha256);
  `)
}
