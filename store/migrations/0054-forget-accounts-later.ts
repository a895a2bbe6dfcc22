import type { Knex } from 'knex'

/** What is known of a disconnected account is deleted after the request, in parts (worker/tasks/forget-accounts.ts). */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table cloud_accounts
      -- It was disconnected, and its resources, which nobody sees any more, are not all deleted.
      add column forgetting boolean not null default false,
      -- The row goes last. Connected again meanwhile, the account has another.
      add column purging boolean not null default false,
      add check (not purging or (forgetting and disconnected_at is not null)),
      drop constraint cloud_accounts_account;

    create unique index cloud_accounts_account on cloud_accounts (organization_id, provider, account_id)
      where not purging;
    create index cloud_accounts_forgetting on cloud_accounts (organization_id, id) where forgetting;
  `)
}
