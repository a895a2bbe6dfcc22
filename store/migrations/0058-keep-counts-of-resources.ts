import type { Knex } from 'knex'

/** An account shows how many resources it has: counted when a sync ends, so that no request counts a million rows. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table cloud_accounts
      -- Those that were present when the last sync ended.
      add column resources integer not null default 0;

    update cloud_accounts a set resources = r.present
    from (select organization_id, cloud_account_id, count(*) as present from cloud_resources
      where state = 'present' group by organization_id, cloud_account_id) r
    where r.organization_id = a.organization_id and r.cloud_account_id = a.id
  `)
}
