import type { Knex } from 'knex'

/**
 * The blob id of each file of a configuration, in the order of `file_names`: a read of a repository is compared with
 * them, and not with the files. Null for versions from before, whose workspace is read once more.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`alter table configuration_versions add column file_blobs text[]`)
}
