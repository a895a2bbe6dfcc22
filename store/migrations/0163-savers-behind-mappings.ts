import type { Knex } from 'knex'

/**
 * Who configured the identity provider that opened the session in which a group was mapped: they could have mapped it,
 * so they count as having promoted its members too.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table group_mappings add column idp_saved_by integer[]')
}
