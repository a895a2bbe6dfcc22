import type { Knex } from 'knex'

/** What keeps a refused bill from being read again at each look, and indexes to delete old looks by. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Its files were read and refused: the same files are refused again.
    alter table billing_slices add column content_refused boolean not null default false;
    -- A person asked for it: bills that were refused are read again.
    alter table billing_ingests add column is_requested boolean not null default false;

    create index billing_slices_past on billing_slices (began_at)
      where not is_current and not has_charges
        and state in ('unchanged', 'waiting', 'refused', 'discarded', 'superseded');
    create index billing_ingests_past on billing_ingests (ended_at) where ended_at is not null;
  `)
}
