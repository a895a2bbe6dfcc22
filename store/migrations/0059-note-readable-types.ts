import type { Knex } from 'knex'

/** An identity that may read some types of resources says nothing of the others. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table cloud_syncs drop constraint cloud_syncs_coverage_check,
      add constraint cloud_syncs_coverage_check check (coverage in ('full', 'tagged_only', 'partial'));

    alter table cloud_sync_places drop constraint cloud_sync_places_coverage_check,
      add constraint cloud_sync_places_coverage_check check (coverage in ('full', 'tagged_only', 'partial')),
      -- Where coverage is partial: lists of { allowed, denied } patterns of like, for \`<type>/read\`.
      add column readable jsonb;
  `)
}
