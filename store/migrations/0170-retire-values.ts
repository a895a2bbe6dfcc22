import type { Knex } from 'knex'
import { protectTable } from '../protect-table.ts'

/**
 * Values that sensitive variables had. States, plans and logs may still have them, so reads search for them too
 * (store/workspaces/retired-values.ts).
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table retired_values (
      id integer generated always as identity primary key,
      organization_id integer not null,
      workspace_id integer not null,
      key text not null,
      kind text not null check (kind in ('terraform', 'env')),
      value bytea not null,
      value_mac bytea not null,
      retired_at timestamptz not null default now(),
      unique (organization_id, workspace_id, kind, key, value_mac),
      foreign key (organization_id, workspace_id) references workspaces (organization_id, id) on delete cascade
    );
  `)
  await protectTable(knex, 'retired_values', { grants: 'select, insert, delete' })
}
