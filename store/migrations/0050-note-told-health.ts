import type { Knex } from 'knex'

/** People are mailed once when a cloud account needs attention and once when it is well: this says which was last. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table cloud_accounts
      -- \`unknown\` before it was ever well: who connects an account sees its status.
      add column health_told text not null default 'unknown'
        check (health_told in ('unknown', 'well', 'unwell'))
  `)
}
