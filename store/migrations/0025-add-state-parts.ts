import type { Knex } from 'knex'
import { protectTable } from '../protect-table.ts'

/** A state is written and read by parts: nobody who asks for its outputs has all of it opened. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Only in versions of before, until somebody reads them.
    alter table state_versions alter column body drop not null;
    alter table state_versions
      add column size_bytes integer,
      -- In base64, as Content-MD5 has it.
      add column body_md5 text,
      add column managed_resources integer,
      add column omitted_resources integer,
      add column omitted_outputs integer;
  `)
  for (const [table, holds] of [
    ['state_pieces', 'Sealed: the bytes of the state as it was written, in order.'],
    ['state_resources', 'Sealed batches of rows: the resources by address, without attributes.'],
    ['state_outputs', 'Sealed batches of rows: the outputs by name.'],
  ] as const) {
    await knex.raw(`
      -- ${holds}
      create table ${table} (
        organization_id integer not null,
        state_version_id integer not null,
        first_seq integer not null,
        last_seq integer not null,
        body bytea not null,
        primary key (state_version_id, organization_id, last_seq),
        foreign key (organization_id, state_version_id)
          references state_versions (organization_id, id) on delete cascade
      );
      -- It is sealed, so that to compress it is time lost.
      alter table ${table} alter column body set storage external;
    `)
    await protectTable(knex, table)
  }
}
