import type { Knex } from 'knex'

/** The whole cost and tags are scored anew after a removed source, and the newest reading of them stays. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- The cost version at which those read that last wrote scores of the whole cost and of tags.
    alter table cost_versions add column scopes_version bigint not null default 0;
    -- When they are to be scored anew from the first day on; a claim moves it on. Null: not at all.
    alter table cost_versions add column score_scopes_at timestamptz;
    create index cost_versions_to_score on cost_versions (score_scopes_at) where score_scopes_at is not null`)
}
