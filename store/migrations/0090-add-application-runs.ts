import type { Knex } from 'knex'
import { protectTable } from '../protect-table.ts'

/**
 * What a pipeline run of an application has beside its place and its stages. A run of infrastructure
 * has it in its workspace run.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table application_runs (
      pipeline_run_id integer primary key,
      organization_id integer not null,
      phase text not null default 'queued' check (phase in
        ('queued', 'sourcing', 'building', 'awaiting_approval', 'deploy_queued', 'deploying', 'rolling_back',
         'succeeded', 'failed', 'canceled')),
      reason text,
      -- How the run ended, in words; never a tool's raw output.
      message text,
      start_message text check (char_length(start_message) between 1 and 500),
      origin text not null check (origin in ('person', 'push', 'schedule')),
      author_user_id integer,
      author_token_id integer,
      -- Of the pipeline when the run was started: a later change of the target is no change of this run.
      target_workspace_id integer,
      branch text check (octet_length(branch) between 1 and 1024),
      commit_sha text check (commit_sha ~ '^([0-9a-f]{40}|[0-9a-f]{64})$'),
      commit_message text,
      commit_author text,
      committed_at timestamptz,
      release_digest text,
      approval_expires_at timestamptz,
      engine_run_id text,
      created_at timestamptz not null default now(),
      started_at timestamptz,
      ended_at timestamptz,
      unique (organization_id, pipeline_run_id),
      constraint application_runs_author_check check (origin <> 'person' or author_user_id is not null),
      foreign key (organization_id, pipeline_run_id)
        references pipeline_runs (organization_id, id) on delete cascade,
      foreign key (organization_id, author_user_id) references users (organization_id, id),
      foreign key (organization_id, author_token_id) references tokens (organization_id, id),
      foreign key (organization_id, target_workspace_id) references workspaces (organization_id, id)
        on delete set null (target_workspace_id)
    );
    create index application_runs_author on application_runs (organization_id, author_user_id);
    create index application_runs_token on application_runs (organization_id, author_token_id);
    create index application_runs_target on application_runs (organization_id, target_workspace_id);

    alter table pipelines
      add column last_application_run_id integer,
      add constraint pipelines_organization_id_last_application_run_id_fkey
        foreign key (organization_id, last_application_run_id)
        references application_runs (organization_id, pipeline_run_id)
        on delete set null (last_application_run_id);
    create index pipelines_last_application_run on pipelines (organization_id, last_application_run_id);
  `)
  await protectTable(knex, 'application_runs')
}
