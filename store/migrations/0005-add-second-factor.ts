import type { Knex } from 'knex'
import { protectTable } from '../protect-table.ts'

/** A second factor at sign-in, and the mails that tell approvers of a waiting run. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Read with every session, so it stands beside the person and not in a join.
    alter table users add column mfa_enabled boolean not null default false;

    -- A row of somebody whose mfa_enabled is false was enrolled and never activated.
    create table second_factors (
      organization_id integer not null,
      user_id integer not null,
      -- Sealed: whoever reads the database alone cannot make codes.
      secret bytea not null,
      -- The newest time step of which a code was taken: an older or equal one is a replay.
      last_step bigint,
      created_at timestamptz not null default now(),
      primary key (organization_id, user_id),
      foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade
    );

    create table recovery_codes (
      id integer generated always as identity primary key,
      organization_id integer not null,
      user_id integer not null,
      hash bytea not null,
      used_at timestamptz,
      created_at timestamptz not null default now(),
      unique (organization_id, user_id, hash),
      foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade
    );

    -- Between the password and the code there is no session yet, only this.
    alter table user_tokens drop constraint user_tokens_purpose_check;
    alter table user_tokens add constraint user_tokens_purpose_check
      check (purpose in ('invitation', 'password_reset', 'second_factor'));

    -- A run may wait more than once, and each time has its own end.
    alter table workspace_runs add column approvers_told_for timestamptz;
    create index workspace_runs_untold on workspace_runs (id)
      where phase = 'awaiting_approval' and approvers_told_for is distinct from approval_expires_at;

    -- Left by the transaction that notices the wait, sent after it: a worker that dies loses none.
    create table approval_mails (
      id integer generated always as identity primary key,
      organization_id integer not null,
      workspace_run_id integer not null,
      user_id integer not null,
      waits_until timestamptz not null,
      attempts integer not null default 0,
      created_at timestamptz not null default now(),
      available_at timestamptz not null default now(),
      sent_at timestamptz,
      dead_at timestamptz,
      unique (organization_id, workspace_run_id, user_id, waits_until),
      foreign key (organization_id, workspace_run_id) references workspace_runs (organization_id, id) on delete cascade,
      foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade
    );
    create index approval_mails_user on approval_mails (organization_id, user_id);
    create index approval_mails_waiting on approval_mails (available_at, id)
      where sent_at is null and dead_at is null;
  `)
  for (const table of ['second_factors', 'recovery_codes', 'approval_mails'])
    await protectTable(knex, table)
}
