import type { Knex } from 'knex'
import { protectTable } from '../protect-table.ts'

/** Budgets, what was last computed of them, whom they told, and why a run waits for an approval. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table budgets (
      id integer generated always as identity primary key,
      organization_id integer not null references organizations,
      name text not null,
      -- In the organization's currency.
      amount_monthly numeric(30,12) not null check (amount_monthly > 0),
      scope_kind text not null check (scope_kind in
        ('all', 'provider', 'service', 'tag', 'account', 'workspace', 'subAccount')),
      -- As it was sent. It may name what no bill has yet, so nothing refers to it.
      scope_value text,
      -- The share of the amount at which it warns.
      threshold numeric(14,12) not null check (threshold > 0 and threshold <= 1),
      over_budget text not null default 'warn' check (over_budget in ('warn', 'approve')),
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      check ((scope_kind = 'all') = (scope_value is null)),
      unique (organization_id, id)
    );

    -- Actual and forecast as last computed. Never older than what they are computed from: \`basis\` names that.
    create table budget_figures (
      organization_id integer not null,
      budget_id integer not null,
      basis text not null,
      figures jsonb not null,
      primary key (organization_id, budget_id),
      foreign key (organization_id, budget_id) references budgets (organization_id, id) on delete cascade
    );

    -- One row a budget, month and event, so that nobody is told twice.
    create table budget_notices (
      organization_id integer not null,
      budget_id integer not null,
      month date not null check (extract(day from month) = 1),
      event text not null check (event in ('budget.warn', 'budget.exceeded')),
      told_at timestamptz not null default now(),
      primary key (organization_id, budget_id, month, event),
      foreign key (organization_id, budget_id) references budgets (organization_id, id) on delete cascade
    );

    -- Why a second person is needed; empty for a run that needs none, or has no plan yet.
    alter table workspace_runs add column approval_reasons text[] not null default '{}'
      constraint workspace_runs_approval_reasons_check check (approval_reasons <@ array['production', 'budget']);
    update workspace_runs r set approval_reasons = '{production}' from workspaces w
      where w.organization_id = r.organization_id and w.id = r.workspace_id
        and w.criticality = 'production' and r.kind = 'apply'
        and r.phase in ('awaiting_approval', 'apply_queued', 'applying');

    -- What the plan changes in the scope of each budget, as its runner found.
    alter table plans add column budget_reach jsonb not null default '[]';

    -- Answers that are kept for a repeated request get the field as well.
    update idempotency_keys set response = jsonb_set(response, '{run,approvalReasons}', '[]')
    where response -> 'run' is not null;
  `)
  for (const table of ['budgets', 'budget_figures', 'budget_notices'])
    await protectTable(knex, table)
}
