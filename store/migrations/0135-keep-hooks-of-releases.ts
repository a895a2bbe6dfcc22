import type { Knex } from 'knex'
import { protectTable } from '../protect-table.ts'

/** The hooks of an artifact, so that an approver sees what hosts will run without unpacking two artifacts. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table release_hooks (
      organization_id integer not null,
      -- Of the run that built it.
      pipeline_run_id integer not null,
      name text not null check (name in ('install', 'activate', 'health', 'rollback')),
      path text not null,
      -- Null: too large to be hashed.
      sha256 text check (sha256 ~ '^[0-9a-f]{64}$'),
      -- Null: no text, or too long to be shown.
      text text,
      primary key (pipeline_run_id, name),
      foreign key (organization_id, pipeline_run_id) references artifacts (organization_id, pipeline_run_id)
        on delete cascade
    );
    -- An artifact from before has hooks that nobody noted.
    alter table artifacts add column hooks_noted boolean not null default false;
    create index release_hooks_artifact on release_hooks (organization_id, pipeline_run_id);
  `)
  await protectTable(knex, 'release_hooks')
}
