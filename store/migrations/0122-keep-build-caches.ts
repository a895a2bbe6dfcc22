import type { Knex } from 'knex'
import { protectTable } from '../protect-table.ts'

/** Which archives of folders are kept between builds of a pipeline; their bytes lie in a folder. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table build_caches (
      id integer primary key generated always as identity,
      organization_id integer not null,
      -- Null: the pipeline was deleted, and the bytes are to be removed.
      pipeline_id integer,
      scope text not null check (scope in ('protected', 'other')),
      key text not null check (key ~ '^[0-9a-f]{64}$'),
      digest text not null check (digest ~ '^sha256:[0-9a-f]{64}$'),
      size_bytes bigint not null,
      created_at timestamptz not null default now(),
      used_at timestamptz not null default now(),
      unique (organization_id, id),
      unique (pipeline_id, scope, key),
      foreign key (organization_id, pipeline_id) references pipelines (organization_id, id)
        on delete set null (pipeline_id)
    );
    create index build_caches_pipeline on build_caches (organization_id, pipeline_id);
    create index build_caches_digest on build_caches (organization_id, digest);
    create index build_caches_used on build_caches (used_at);
  `)
  await protectTable(knex, 'build_caches')
}
