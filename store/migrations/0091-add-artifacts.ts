import type { Knex } from 'knex'
import { protectTable } from '../protect-table.ts'

/**
 * What a build makes. The bytes are in the artifact store, under their digest; two builds of the same
 * bytes share them. A run counts the attempts of its fetch and its build, so that a source that takes
 * its worker down is not tried for ever.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table artifacts (
      pipeline_run_id integer primary key,
      organization_id integer not null,
      digest text not null check (digest ~ '^sha256:[0-9a-f]{64}$'),
      -- Of the archive before its compression.
      content_digest text not null check (content_digest ~ '^sha256:[0-9a-f]{64}$'),
      size_bytes bigint not null check (size_bytes > 0),
      entries integer not null check (entries > 0),
      created_at timestamptz not null default now(),
      unique (organization_id, pipeline_run_id),
      foreign key (organization_id, pipeline_run_id)
        references application_runs (organization_id, pipeline_run_id) on delete cascade
    );
    create index artifacts_digest on artifacts (organization_id, digest);

    alter table application_runs
      -- SHA-256 of the manifest's bytes, in hexadecimal.
      add column manifest_sha256 text check (manifest_sha256 ~ '^[0-9a-f]{64}$'),
      add column cancel_requested_at timestamptz,
      add column sources_begun integer not null default 0,
      add column builds_begun integer not null default 0;
    create index application_runs_working on application_runs (pipeline_run_id)
      where phase in ('queued', 'sourcing', 'building');
  `)
  await protectTable(knex, 'artifacts')
}
