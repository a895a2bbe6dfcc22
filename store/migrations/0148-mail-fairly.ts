import type { Knex } from 'knex'

/**
 * Mails: an organization has a limited number under way, and its links go first (store/platform/mail-queue.ts).
 * Channels: a test is noted, since each may be tested once in a while, and a webhook's key can be replaced. Readers: a row for each channel that reaches
 * a person, so that one which is disabled before the mail is written does not lose the event of another.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table mails
      -- While a worker sends it. Null after it was sent, or while it waits to be tried again.
      add column leased_until timestamptz,
      add column is_link boolean not null generated always as (kind in ('invitation', 'password_reset')) stored;
    drop index mails_waiting;
    create index mails_waiting on mails (organization_id, is_link, available_at, id) where ended_at is null;
    create index mails_leased on mails (organization_id) where leased_until is not null;

    alter table notifications
      add column tested_at timestamptz,
      -- Sealed: the key before the newest one, with which messages are signed too until then.
      add column old_secret bytea,
      add column old_secret_until timestamptz,
      add check ((old_secret is null) = (old_secret_until is null));

    alter table notice_readers
      drop constraint notice_readers_pkey,
      add primary key (organization_id, notice_id, user_id, notification_id);
  `)
}
