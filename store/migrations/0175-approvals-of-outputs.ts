import type { Knex } from 'knex'

/**
 * The state that the target had when a release was approved: hooks are given outputs of it, and an approval holds while
 * these are the same. Approvals from before have null, as those of a target without a state, so they hold for a release
 * that names outputs only while there are none.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table approvals
      add column state_version_id integer,
      add foreign key (organization_id, state_version_id)
        references state_versions (organization_id, id) on delete set null (state_version_id);
    create index approvals_state_version on approvals (organization_id, state_version_id)
      where state_version_id is not null;
  `)
}
