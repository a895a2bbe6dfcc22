import type { Knex } from 'knex'
import { protectTable, protectPlatformTable } from '../protect-table.ts'

/** Who works here: organizations, their people, how these sign in. SAML and SCIM find their columns already here. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create type member_role as enum ('Viewer', 'Deployer', 'SRE · Cloud Admin', 'Org Admin', 'Owner');

    create table organizations (
      id integer generated always as identity primary key,
      public_id uuid not null default gen_random_uuid() unique,
      slug text not null unique check (slug ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
      name text not null,
      status text not null default 'active' check (status in ('active', 'suspended')),
      settings jsonb not null default '{}',
      created_at timestamptz not null default now()
    );

    create table users (
      id integer generated always as identity primary key,
      organization_id integer not null references organizations,
      public_id uuid not null default gen_random_uuid() unique,
      email text,
      user_name text,
      external_id text,
      name text not null default '',
      password_hash text,
      platform_admin boolean not null default false,
      active boolean not null default true,
      deprovisioned_at timestamptz,
      row_version integer not null default 1,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      unique (organization_id, id)
    );
    create unique index users_email on users (organization_id, lower(email)) where deprovisioned_at is null;
    create unique index users_user_name on users (organization_id, lower(user_name)) where deprovisioned_at is null;
    create index users_sign_in on users (lower(email)) where deprovisioned_at is null;

    -- The effective role of a person is the maximum over the sources.
    create table role_grants (
      organization_id integer not null,
      user_id integer not null,
      source text not null check (source in ('manual', 'scim', 'saml')),
      role member_role not null,
      granted_at timestamptz not null default now(),
      primary key (organization_id, user_id, source),
      foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade
    );

    create table sessions (
      id integer generated always as identity primary key,
      organization_id integer not null,
      user_id integer not null,
      token_hash bytea not null unique,
      kind text not null default 'password' check (kind in ('password', 'saml')),
      role_ceiling member_role,
      saml_name_id text,
      saml_session_index text,
      ip text,
      user_agent text,
      created_at timestamptz not null default now(),
      last_seen_at timestamptz not null default now(),
      expires_at timestamptz not null,
      revoked_at timestamptz,
      unique (organization_id, id),
      foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade
    );
    create index sessions_user on sessions (organization_id, user_id);

    create table tokens (
      id integer generated always as identity primary key,
      organization_id integer not null references organizations,
      kind text not null check (kind in ('pat', 'scim', 'agt', 'run')),
      user_id integer,
      name text not null,
      prefix text not null,
      hash bytea not null unique,
      role member_role,
      workspace_run_id integer,
      run_phase text check (run_phase in ('plan', 'apply')),
      fence integer,
      created_at timestamptz not null default now(),
      expires_at timestamptz,
      last_used_at timestamptz,
      revoked_at timestamptz,
      unique (organization_id, id),
      foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade
    );
    create index tokens_user on tokens (organization_id, user_id);

    -- Invitations and password resets: single use, known only by their hash.
    create table user_tokens (
      id integer generated always as identity primary key,
      organization_id integer not null,
      user_id integer not null,
      purpose text not null check (purpose in ('invitation', 'password_reset')),
      hash bytea not null unique,
      expires_at timestamptz not null,
      used_at timestamptz,
      created_at timestamptz not null default now(),
      foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade
    );
    create index user_tokens_user on user_tokens (organization_id, user_id);

    -- Counted by address over all organizations, whether or not an account has it.
    create table sign_in_failures (
      subject bytea primary key,
      failures integer not null,
      window_started_at timestamptz not null,
      locked_until timestamptz
    );

    -- What a repeated POST with the same Idempotency-Key is answered with for 24 h.
    create table idempotency_keys (
      organization_id integer not null references organizations,
      caller text not null,
      key text not null,
      request_hash bytea not null,
      status integer,
      response jsonb,
      created_at timestamptz not null default now(),
      primary key (organization_id, caller, key)
    );
    create index idempotency_keys_age on idempotency_keys (created_at);
  `)
  await protectTable(knex, 'organizations', { tenantColumn: 'id', grants: 'select, update' })
  await knex.raw('grant insert on organizations to cc_platform')
  for (const table of [
    'users',
    'role_grants',
    'sessions',
    'tokens',
    'user_tokens',
    'idempotency_keys',
  ])
    await protectTable(knex, table)
  await protectPlatformTable(knex, 'sign_in_failures')
}
