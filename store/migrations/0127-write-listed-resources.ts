import type { Knex } from 'knex'

/**
 * A part of a look writes the resources that it found, and keeps the ids of all that it listed
 * (docs/decisions/0203). Syncs that run now begin their looks again.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    delete from cloud_resource_pages;
    alter table cloud_resource_pages drop column found;
    alter table cloud_resource_pages rename column unchanged to listed;
    alter table cloud_resource_pages
      add column added integer not null default 0,
      add column changed integer not null default 0;
    -- Of a sync they are counted by its parts.
    alter table cloud_sync_places drop column added, drop column changed
  `)
}
