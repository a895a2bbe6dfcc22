import type { Knex } from 'knex'
import { protectTable } from '../protect-table.ts'

/**
 * Who built an artifact, from what, and how long it is kept. The bytes in the artifact store have a row of
 * their own, `artifact_blobs`: it is there before the bytes are and goes after them, so nothing in the
 * store is unknown, and a kept artifact refers to it, so its bytes cannot be removed.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table signing_keys (
      id integer generated always as identity primary key,
      organization_id integer not null references organizations,
      -- SHA-256 of the public key in DER.
      key_id text not null check (key_id ~ '^sha256:[0-9a-f]{64}$'),
      public_key text not null,
      -- Sealed: PKCS #8.
      private_key bytea not null,
      -- By the key before it and the key after it: DSSE envelopes.
      endorsements jsonb not null default '[]',
      created_at timestamptz not null default now(),
      retired_at timestamptz,
      unique (organization_id, id),
      unique (organization_id, key_id)
    );
    create unique index signing_keys_current on signing_keys (organization_id) where retired_at is null;

    create table artifact_blobs (
      organization_id integer not null references organizations,
      digest text not null check (digest ~ '^sha256:[0-9a-f]{64}$'),
      -- When somebody was about to write it last.
      claimed_at timestamptz not null default now(),
      -- Nothing refers to it, and its bytes may go from then on.
      removable_at timestamptz,
      -- Its bytes are being removed.
      removing_at timestamptz,
      primary key (organization_id, digest)
    );
    create index artifact_blobs_removable on artifact_blobs (removable_at) where removable_at is not null;
    insert into artifact_blobs (organization_id, digest)
      select distinct organization_id, digest from artifacts;

    alter table artifacts
      -- Attempts of its bill of materials.
      add column descriptions_begun integer not null default 0,
      add column described_at timestamptz,
      add column spdx_digest text,
      add column cyclonedx_digest text,
      -- The signed bundle.
      add column provenance jsonb,
      add column signed_at timestamptz,
      add column swept_at timestamptz,
      add column kept_digest text generated always as (case when swept_at is null then digest end) stored,
      add constraint artifacts_swept_check check (swept_at is null or num_nonnulls(spdx_digest, cyclonedx_digest, provenance) = 0),
      add foreign key (organization_id, kept_digest) references artifact_blobs (organization_id, digest),
      add foreign key (organization_id, spdx_digest) references artifact_blobs (organization_id, digest),
      add foreign key (organization_id, cyclonedx_digest) references artifact_blobs (organization_id, digest);
    create index artifacts_kept on artifacts (organization_id, kept_digest);
    create index artifacts_spdx on artifacts (organization_id, spdx_digest);
    create index artifacts_cyclonedx on artifacts (organization_id, cyclonedx_digest);

    -- When an organization's artifacts were swept last.
    create table artifact_sweeps (
      organization_id integer primary key references organizations,
      swept_at timestamptz not null default now()
    );

    alter table application_runs
      -- As it was fetched: what is deployed by it is read from here.
      add column manifest text check (octet_length(manifest) <= 262144);
  `)
  for (const table of ['signing_keys', 'artifact_blobs', 'artifact_sweeps'])
    await protectTable(knex, table)
}
