import type { Knex } from 'knex'
import { protectTable } from '../protect-table.ts'

/** Single sign-on: identity providers, requests, consumed messages, and claimed mail domains. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table saml_configurations (
      organization_id integer primary key references organizations,
      -- Not unique: two organizations may share an identity provider, and the audience keeps them apart.
      idp_entity_id text not null,
      sso_url text not null,
      sso_binding text not null check (sso_binding in ('redirect', 'post')),
      slo_url text,
      slo_binding text check (slo_binding in ('redirect', 'post')),
      slo_response_url text,
      attr_email text,
      attr_name text,
      attr_groups text,
      default_role member_role not null default 'Viewer' check (default_role < 'Owner'),
      enabled boolean not null default false,
      -- A session of the provider has at most the role of the person who configured it.
      edited_by integer,
      editor_role member_role not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      check ((slo_url is null) = (slo_binding is null)),
      foreign key (organization_id, edited_by) references users (organization_id, id)
    );
    create index saml_configurations_editor on saml_configurations (organization_id, edited_by);
    create index saml_configurations_issuer on saml_configurations (idp_entity_id);

    -- Several, so that an identity provider can change its key without anybody being locked out.
    create table saml_idp_certificates (
      organization_id integer not null references organizations,
      fingerprint text not null,
      pem text not null,
      not_before timestamptz not null,
      not_after timestamptz not null,
      warned_at timestamptz,
      created_at timestamptz not null default now(),
      primary key (organization_id, fingerprint)
    );
    create index saml_idp_certificates_unwarned on saml_idp_certificates (not_after) where warned_at is null;

    -- Made once and never rotated by a save; the private half is sealed.
    create table saml_sp_keys (
      organization_id integer primary key references organizations,
      private_key bytea not null,
      certificate text not null,
      created_at timestamptz not null default now()
    );

    -- What was asked of the identity provider. Each is answered once; a row that was taken
    -- stays until it expires, so that a replay can be told of to the organization it was for.
    create table saml_requests (
      id text primary key,
      organization_id integer not null references organizations,
      kind text not null check (kind in ('login', 'test', 'logout')),
      relay_state text not null unique,
      target text,
      browser_hash bytea,
      user_id integer,
      name_id text,
      session_index text,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      taken_at timestamptz,
      foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade
    );
    create index saml_requests_user on saml_requests (organization_id, user_id);
    create index saml_requests_expiry on saml_requests (expires_at);

    -- Assertions and messages that were taken, until they could not be taken anyway.
    create table saml_seen (
      organization_id integer not null references organizations,
      message_id text not null,
      expires_at timestamptz not null,
      primary key (organization_id, message_id)
    );
    create index saml_seen_expiry on saml_seen (expires_at);

    -- For the administrator: why a sign-in did not work. The newest 50 of an organization are kept.
    create table saml_traces (
      id integer generated always as identity primary key,
      organization_id integer not null references organizations,
      kind text not null check (kind in ('login', 'test', 'logout')),
      outcome text not null check (outcome in ('success', 'failure')),
      step text not null,
      cause text,
      detail jsonb not null default '{}',
      request_id text,
      created_at timestamptz not null default now(),
      unique (organization_id, id)
    );

    -- Which organization's identity provider an address is sent to. A proved claim goes before an unproved one, then the older.
    create table domain_claims (
      organization_id integer not null references organizations,
      domain text not null check (domain = lower(domain)),
      position integer not null,
      proof_token text not null,
      proved_at timestamptz,
      checked_at timestamptz,
      created_at timestamptz not null default now(),
      primary key (organization_id, domain)
    );
    create index domain_claims_domain on domain_claims (domain);

    -- A logout names the principal as the sign-in did, qualifiers included (SAML core 3.7.3.2).
    alter table sessions
      add column saml_name_id_format text,
      add column saml_name_qualifier text,
      add column saml_sp_name_qualifier text;
    create index sessions_saml on sessions (organization_id, saml_name_id)
      where kind = 'saml' and revoked_at is null;
  `)
  for (const table of [
    'saml_configurations',
    'saml_idp_certificates',
    'saml_sp_keys',
    'saml_requests',
    'saml_seen',
    'saml_traces',
    'domain_claims',
  ])
    await protectTable(knex, table)
}
