import type { Knex } from 'knex'
import { protectTable } from '../protect-table.ts'

/** What cost is divided by, as orders or users, and how many of it there were on each day. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table cost_units (
      id integer generated always as identity primary key,
      organization_id integer not null references organizations,
      name text not null check (char_length(name) between 1 and 200),
      -- What one of it is called.
      unit text not null check (char_length(unit) between 1 and 60),
      scope_kind text not null check (scope_kind in
        ('all', 'provider', 'service', 'tag', 'account', 'workspace', 'subAccount')),
      -- As it was sent. It may name what no bill has yet, so nothing refers to it.
      scope_value text check (char_length(scope_value) between 1 and 1000),
      -- Raised by each change of it or of its values.
      version integer not null default 1,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      check ((scope_kind = 'all') = (scope_value is null)),
      unique (organization_id, id)
    );

    create table cost_unit_values (
      organization_id integer not null,
      unit_id integer not null,
      -- UTC, as the days of cost.
      day date not null,
      value numeric(30,12) not null check (value >= 0 and value <= 1e15),
      primary key (organization_id, unit_id, day),
      foreign key (organization_id, unit_id) references cost_units (organization_id, id) on delete cascade
    );
  `)
  for (const table of ['cost_units', 'cost_unit_values']) await protectTable(knex, table)
}
