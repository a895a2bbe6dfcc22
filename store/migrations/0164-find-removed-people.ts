import type { Knex } from 'knex'

/**
 * A person who is removed and added again has a second row with the same address or user name. Who may approve a run
 * depends on both rows, and an organization with an identity provider may have removed people by the thousand.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create index users_removed_email on users (organization_id, lower(email)) where deprovisioned_at is not null;
    create index users_removed_user_name on users (organization_id, lower(user_name)) where deprovisioned_at is not null`)
}
