import type { Knex } from 'knex'
import { protectTable } from '../protect-table.ts'

/** Mails wait in the store until a mail server has taken them; and what is over is found by its age. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Never written to: one queue holds mails of every kind.
    drop table approval_mails;
    drop index workspace_runs_untold;
    alter table workspace_runs drop column approvers_told_for;

    -- What is to be told to whom, never the letter: a link's secret is made when it is sent, so none lies here.
    create table mails (
      id integer generated always as identity primary key,
      -- Becomes the Message-ID, so that a mail that is delivered twice is shown once.
      public_id uuid not null default gen_random_uuid() unique,
      organization_id integer not null references organizations,
      kind text not null check (kind in ('invitation', 'password_reset', 'address_changed', 'approval_waiting')),
      user_id integer not null,
      workspace_run_id integer,
      detail jsonb not null default '{}',
      attempts integer not null default 0,
      created_at timestamptz not null default now(),
      available_at timestamptz not null default now(),
      ended_at timestamptz,
      outcome text check (outcome in ('sent', 'moot', 'failed')),
      last_error text,
      check ((kind = 'approval_waiting') = (workspace_run_id is not null)),
      check ((ended_at is null) = (outcome is null)),
      -- One mail a run and person, however often the run comes to wait. Those of no run are never alike.
      unique (organization_id, workspace_run_id, user_id),
      foreign key (organization_id, workspace_run_id) references workspace_runs (organization_id, id) on delete cascade,
      foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade
    );
    create index mails_user on mails (organization_id, user_id);
    create index mails_waiting on mails (available_at, id) where ended_at is null;
    create index mails_ended on mails (ended_at) where ended_at is not null;

    -- For the clean-up of what is over.
    create index user_tokens_age on user_tokens (expires_at);
    create index sessions_age on sessions (expires_at);
    create index sign_in_failures_age on sign_in_failures (window_started_at);
  `)
  await protectTable(knex, 'mails')
}
