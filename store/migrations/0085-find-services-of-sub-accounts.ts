import type { Knex } from 'knex'

/**
 * A series of the dearest services of one sub-account reads the days of those alone, and one of a tag only those of
 * its values (docs/decisions/0164-series-of-the-dearest-services.md). Hashes, for a text may be longer than an index
 * takes.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index cost_daily_sub_account;
    create index cost_daily_sub_account
      on cost_daily (organization_id, slice_id, sub_account_hash, service_hash);
    drop index cost_tag_daily_slice;
    create index cost_tag_daily_slice
      on cost_tag_daily (organization_id, slice_id, key_hash, hashtext(tag_value))`)
}
