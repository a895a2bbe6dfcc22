import type { Knex } from 'knex'

/** A restore can begin a new lineage at serial 1: serials are compared within one generation, and the newest one is current. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table state_versions add column generation integer not null default 0;

    drop index state_versions_serial;
    create unique index state_versions_serial on state_versions (workspace_id, generation, serial)
      where status = 'finalized';
    drop index state_versions_newest;
    create index state_versions_newest
      on state_versions (organization_id, workspace_id, generation desc, serial desc);
  `)
}
