import type { Knex } from 'knex'
import { protectTable } from '../protect-table.ts'

/** Pipelines, workspace runs, pipeline runs, stages, logs, plans and approvals (docs/runs.md). */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table pipelines (
      id integer generated always as identity primary key,
      organization_id integer not null references organizations,
      name text not null,
      kind text not null check (kind in ('application', 'infrastructure')),
      managed boolean not null default false,
      app_git_connection_id integer,
      app_repo text,
      target_workspace_id integer,
      strategy text,
      last_number integer not null default 0,
      created_at timestamptz not null default now(),
      unique (organization_id, id),
      foreign key (organization_id, target_workspace_id) references workspaces (organization_id, id) on delete cascade
    );
    create unique index pipelines_name on pipelines (organization_id, lower(name));
    create index pipelines_workspace on pipelines (organization_id, target_workspace_id);
    create unique index pipelines_managed on pipelines (target_workspace_id) where managed;

    -- One sequence for both: the run of provision-<workspace> has the id of its workspace run, so a
    -- caller who holds either id holds both.
    create sequence run_ids as integer;
    grant usage on sequence run_ids to cc_app, cc_platform;

    create table workspace_runs (
      id integer primary key default nextval('run_ids'),
      organization_id integer not null,
      workspace_id integer not null,
      kind text not null check (kind in ('apply', 'plan')),
      destroy boolean not null default false,
      phase text not null check (phase in
        ('queued', 'planning', 'awaiting_approval', 'apply_queued', 'applying', 'succeeded', 'failed', 'canceled')),
      reason text,
      -- A person's own words about the end of the run; never a tool's raw output.
      message text,
      configuration_version_id integer not null,
      -- The author's overrides of the plan's variables, encrypted.
      overrides bytea,
      author_user_id integer not null,
      author_token_id integer,
      authorship_through integer not null default 0,
      plan_digest text,
      summary jsonb,
      cost jsonb,
      gates jsonb not null default '[]',
      found jsonb,
      cancel_requested_at timestamptz,
      cancel_requested_by integer,
      approval_expires_at timestamptz,
      engine_run_id text,
      created_at timestamptz not null default now(),
      started_at timestamptz,
      ended_at timestamptz,
      unique (organization_id, id),
      foreign key (organization_id, workspace_id) references workspaces (organization_id, id) on delete cascade,
      foreign key (organization_id, configuration_version_id) references configuration_versions (organization_id, id),
      foreign key (organization_id, author_user_id) references users (organization_id, id),
      foreign key (organization_id, author_token_id) references tokens (organization_id, id)
    );
    -- The turn: of the runs that apply, at most one of a workspace is under way.
    create unique index workspace_runs_turn on workspace_runs (workspace_id)
      where phase in ('planning', 'awaiting_approval', 'apply_queued', 'applying') and kind = 'apply';
    create index workspace_runs_live on workspace_runs (organization_id, id)
      where phase in ('queued', 'planning', 'awaiting_approval', 'apply_queued', 'applying');
    create index workspace_runs_workspace on workspace_runs (organization_id, workspace_id, id desc);
    create index workspace_runs_configuration on workspace_runs (organization_id, configuration_version_id);
    create index workspace_runs_author on workspace_runs (organization_id, author_user_id);
    create index workspace_runs_token on workspace_runs (organization_id, author_token_id);

    alter table tokens add foreign key (organization_id, workspace_run_id)
      references workspace_runs (organization_id, id) on delete cascade;
    create index tokens_run on tokens (organization_id, workspace_run_id);

    create table pipeline_runs (
      id integer primary key default nextval('run_ids'),
      organization_id integer not null,
      pipeline_id integer not null,
      number integer not null,
      workspace_run_id integer,
      created_at timestamptz not null default now(),
      unique (organization_id, id),
      unique (pipeline_id, number),
      foreign key (organization_id, pipeline_id) references pipelines (organization_id, id) on delete cascade,
      foreign key (organization_id, workspace_run_id) references workspace_runs (organization_id, id) on delete cascade
    );
    create index pipeline_runs_pipeline on pipeline_runs (organization_id, pipeline_id, number desc);
    create index pipeline_runs_workspace_run on pipeline_runs (organization_id, workspace_run_id);

    -- A stage belongs to a workspace run (plan, approve, apply) or to a pipeline run of an application.
    create table stages (
      id integer generated always as identity primary key,
      organization_id integer not null,
      workspace_run_id integer,
      pipeline_run_id integer,
      name text not null,
      position integer not null,
      state text not null default 'pending' check (state in
        ('pending', 'queued', 'running', 'waiting', 'succeeded', 'failed', 'skipped', 'canceled')),
      by text,
      started_at timestamptz,
      ended_at timestamptz,
      created_month date not null default date_trunc('month', now())::date,
      last_seq bigint not null default 0,
      log_bytes bigint not null default 0,
      unique (organization_id, id),
      check (num_nonnulls(workspace_run_id, pipeline_run_id) = 1),
      foreign key (organization_id, workspace_run_id) references workspace_runs (organization_id, id) on delete cascade,
      foreign key (organization_id, pipeline_run_id) references pipeline_runs (organization_id, id) on delete cascade
    );
    create unique index stages_workspace_run on stages (organization_id, workspace_run_id, name) where workspace_run_id is not null;
    create unique index stages_pipeline_run on stages (organization_id, pipeline_run_id, name) where pipeline_run_id is not null;

    -- By the month of the stage, so that (stage, seq) stays unique over the partitions.
    create table log_lines (
      organization_id integer not null,
      stage_id integer not null,
      month date not null,
      seq bigint not null,
      at timestamptz not null default now(),
      level text not null check (level in ('debug', 'info', 'warn', 'error')),
      line text not null,
      primary key (stage_id, seq, month)
    ) partition by range (month);
    create table log_lines_rest partition of log_lines default;
    select ensure_month_partitions('log_lines', 3);

    -- The plan between plan and apply: encrypted, with its lock file, never on a worker's disk.
    create table plans (
      workspace_run_id integer primary key,
      organization_id integer not null,
      plan_file bytea not null,
      lock_file bytea,
      plan_json bytea not null,
      engine_version text not null,
      configuration_sha256 text not null,
      variables_mac text not null,
      state_lineage text,
      state_serial bigint,
      policies_version text not null,
      prices_version text not null,
      -- Names of the variables that the workspace kept as sensitive when this was planned.
      sensitive_variables text[] not null default '{}',
      created_at timestamptz not null default now(),
      foreign key (organization_id, workspace_run_id) references workspace_runs (organization_id, id) on delete cascade
    );
    create index plans_run on plans (organization_id, workspace_run_id);

    create table approvals (
      id integer generated always as identity primary key,
      organization_id integer not null,
      workspace_run_id integer not null,
      user_id integer not null,
      decision text not null check (decision in ('approved', 'rejected')),
      comment text,
      plan_digest text not null,
      at timestamptz not null default now(),
      voided_at timestamptz,
      void_reason text,
      foreign key (organization_id, workspace_run_id) references workspace_runs (organization_id, id) on delete cascade,
      foreign key (organization_id, user_id) references users (organization_id, id)
    );
    create unique index approvals_standing on approvals (workspace_run_id) where voided_at is null;
    create index approvals_run on approvals (organization_id, workspace_run_id);
    create index approvals_user on approvals (organization_id, user_id);

    -- The row is the right to apply a run: a second worker cannot insert it.
    create table apply_attempts (
      workspace_run_id integer primary key,
      organization_id integer not null,
      fence integer not null,
      worker text not null,
      process_group integer,
      started_at timestamptz not null default now(),
      spawned_at timestamptz,
      beat_at timestamptz not null default now(),
      ended_at timestamptz,
      exit_code integer,
      foreign key (organization_id, workspace_run_id) references workspace_runs (organization_id, id) on delete cascade
    );
    create index apply_attempts_run on apply_attempts (organization_id, workspace_run_id);
  `)
  for (const table of [
    'pipelines',
    'workspace_runs',
    'pipeline_runs',
    'stages',
    'log_lines',
    'plans',
    'approvals',
    'apply_attempts',
  ])
    await protectTable(knex, table)
}
