import type { Knex } from 'knex'

/** Which sources people were told of, and which accepted slices are still to be scored. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Since when its bills could not be read, and since when its bill is late: each is told once, and again only
    -- after it was well in between.
    alter table billing_sources add column failing_since timestamptz;
    alter table billing_sources add column late_since timestamptz;

    -- When a worker looks for anomalies in it: a person accepted it after its ingest was over.
    alter table billing_slices add column score_at timestamptz;
    create index billing_slices_score on billing_slices (score_at) where score_at is not null;
  `)
}
