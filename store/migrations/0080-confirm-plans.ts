import type { Knex } from 'knex'

/**
 * A run of a standard workspace can wait after its plan until a person confirms it, and a start can
 * carry a message. Lists of runs over all workspaces filter by phase, newest first.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table workspaces add column confirm text not null default 'none'
      constraint workspaces_confirm_check check (confirm in ('none', 'destroys', 'always'));

    alter table workspace_runs
      -- Who started the run asked for a confirmation of its plan.
      add column confirm boolean not null default false,
      add column start_message text
        constraint workspace_runs_start_message_check check (char_length(start_message) between 1 and 500),
      drop constraint workspace_runs_approval_reasons_check,
      add constraint workspace_runs_approval_reasons_check
        check (approval_reasons <@ array['production', 'budget', 'confirm']);

    create index workspace_runs_phase on workspace_runs (organization_id, phase, id desc);

    -- Answers that are kept for a repeated request get the fields as well.
    update idempotency_keys set response = jsonb_set(
      jsonb_set(response, '{run,approval}', 'null'), '{run,startMessage}', 'null')
    where response -> 'run' is not null;
  `)
}
