import type { Knex } from 'knex'
import { protectTable } from '../protect-table.ts'

/** What plans said that they would cost, held against the bill 7 and 30 days after the apply. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- What each resource of the plan was predicted to change of the monthly cost; null of an older plan.
    alter table plans add column estimate jsonb;
    create index apply_attempts_applied on apply_attempts (ended_at) where exit_code = 0;

    create table estimate_checks (
      organization_id integer not null,
      workspace_run_id integer not null,
      workspace_id integer not null,
      after_days smallint not null check (after_days in (7, 30)),
      -- The last day of the bill that was looked at.
      day date not null,
      currency text not null,
      -- Of the resources that the bill says something of; amounts a month.
      predicted numeric(30,12) not null,
      billed numeric(30,12) not null,
      -- The share of the changed resources of which it does.
      coverage double precision not null,
      resources jsonb not null,
      checked_at timestamptz not null default now(),
      primary key (organization_id, workspace_run_id, after_days),
      foreign key (organization_id, workspace_run_id)
        references workspace_runs (organization_id, id) on delete cascade,
      foreign key (organization_id, workspace_id) references workspaces (organization_id, id) on delete cascade
    );
    create index estimate_checks_workspace on estimate_checks (organization_id, workspace_id, day);
  `)
  await protectTable(knex, 'estimate_checks')
}
