import type { Knex } from 'knex'
import { protectTable } from '../protect-table.ts'

/**
 * Filters and an order of the list of workspaces that a member gave a name for everybody
 * (docs/decisions/0213-shared-views.md).
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table workspace_views (
      id integer generated always as identity primary key,
      organization_id integer not null references organizations,
      name text not null check (length(name) between 1 and 40),
      search jsonb not null check (jsonb_typeof(search) = 'object'),
      user_id integer not null,
      created_at timestamptz not null default now(),
      unique (organization_id, id),
      foreign key (organization_id, user_id) references users (organization_id, id)
    );
    create unique index workspace_views_name on workspace_views (organization_id, lower(name));
    create index workspace_views_user on workspace_views (organization_id, user_id);
  `)
  await protectTable(knex, 'workspace_views', { grants: 'select, insert, delete' })
}
