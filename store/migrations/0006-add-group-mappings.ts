import type { Knex } from 'knex'
import { protectTable } from '../protect-table.ts'

/** The role that each group grants, and who is in which group, by SCIM or by the last SAML assertion. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Pushed by SCIM; the public id is what its clients see.
    create table groups (
      id integer generated always as identity primary key,
      organization_id integer not null references organizations,
      public_id uuid not null default gen_random_uuid() unique,
      display_name text not null,
      external_id text,
      row_version integer not null default 1,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      unique (organization_id, id)
    );
    create unique index groups_display_name on groups (organization_id, lower(display_name));
    create index groups_external_id on groups (organization_id, external_id) where external_id is not null;

    create table group_members (
      organization_id integer not null,
      group_id integer not null,
      user_id integer not null,
      added_at timestamptz not null default now(),
      primary key (organization_id, group_id, user_id),
      foreign key (organization_id, group_id) references groups (organization_id, id) on delete cascade,
      foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade
    );
    create index group_members_user on group_members (organization_id, user_id);

    -- The groups that a person's newest assertion named. They need not be groups that SCIM knows.
    create table saml_group_names (
      organization_id integer not null,
      user_id integer not null,
      name text not null,
      foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade
    );
    create unique index saml_group_names_user on saml_group_names (organization_id, user_id, lower(name));
    create index saml_group_names_name on saml_group_names (organization_id, lower(name));

    -- By name, not by group: a mapping may be made before the group is pushed, and outlives it.
    create table group_mappings (
      id integer generated always as identity primary key,
      organization_id integer not null references organizations,
      group_name text not null,
      role member_role not null check (role < 'Owner'),
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      unique (organization_id, id)
    );
    create unique index group_mappings_name on group_mappings (organization_id, lower(group_name));

    -- What the console's first page counts, however many runs there have been.
    create index workspace_runs_failed on workspace_runs (organization_id, ended_at) where phase = 'failed';
  `)
  for (const table of ['groups', 'group_members', 'saml_group_names', 'group_mappings'])
    await protectTable(knex, table)
}
