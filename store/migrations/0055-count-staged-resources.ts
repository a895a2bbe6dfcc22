import type { Knex } from 'knex'

/** How much a sync has staged is counted with its pages: a counter beside them was a row written for each part. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table cloud_resource_pages
      -- Unchanged and found.
      add column resources integer not null default 0;

    update cloud_resource_pages set resources = cardinality(unchanged) + jsonb_array_length(found)
  `)
}
