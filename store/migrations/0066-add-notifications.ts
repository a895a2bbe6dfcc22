import type { Knex } from 'knex'
import { protectTable } from '../protect-table.ts'

/**
 * Channels that are told of events, the events, and who is told of each. An event and what is to be sent are
 * written in the transaction of the change, so that none is lost and none is sent for a change that was rolled
 * back.
 */
export async function up(knex: Knex): Promise<void> {
  await addChannels(knex)
  await addNotices(knex)
  for (const table of ['notifications', 'notices', 'notification_deliveries', 'notice_readers'])
    await protectTable(knex, table)
  // As every later organization starts (store/platform/organizations.ts).
  await knex.raw(`
    insert into notifications (organization_id, name, kind, recipients, events, digest)
    select id, 'Cost and cloud accounts', 'email',
      '{"userIds": [], "capability": "manage_cloud_accounts", "owners": true}', '["*"]', 'daily'
    from organizations
  `)
}

async function addChannels(knex: Knex): Promise<void> {
  await knex.raw(`
    create table notifications (
      id integer generated always as identity primary key,
      organization_id integer not null references organizations,
      name text not null,
      kind text not null check (kind in ('webhook', 'slack', 'teams', 'email')),
      -- Sealed: an address of Slack or Teams is itself the right to post.
      url bytea,
      url_shown text,
      -- Sealed: the key of Standard Webhooks.
      secret bytea,
      recipients jsonb,
      events jsonb not null,
      scope_kind text,
      scope_value text,
      minimum_impact numeric(30, 12),
      digest text not null check (digest in ('immediate', 'daily')),
      enabled boolean not null default true,
      -- The relay's: consecutive failures, since when, and when the managers were told of it.
      failures integer not null default 0,
      failing_since timestamptz,
      told_at timestamptz,
      last_sent_at timestamptz,
      last_status smallint,
      last_error text,
      is_slow boolean not null default false,
      retry_at timestamptz not null default now(),
      leased_until timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      unique (organization_id, id),
      check ((kind = 'email') = (url is null)),
      check ((url is null) = (url_shown is null)),
      check ((kind = 'webhook') = (secret is not null)),
      check ((kind = 'email') = (recipients is not null)),
      check ((scope_kind is null) or scope_kind = 'all' or scope_value is not null)
    );
    create index notifications_leased on notifications (organization_id)
      where leased_until is not null;
  `)
}

async function addNotices(knex: Knex): Promise<void> {
  await knex.raw(`
    create table notices (
      id bigint generated always as identity primary key,
      public_id uuid not null default gen_random_uuid(),
      organization_id integer not null references organizations,
      event text not null,
      subject_kind text not null,
      subject_id text not null,
      subject_label text not null,
      dedupe_key text not null,
      severity text not null check (severity in ('low', 'medium', 'high')),
      title text not null,
      lines jsonb not null,
      path text not null,
      detail jsonb not null,
      created_at timestamptz not null default now(),
      unique (organization_id, id),
      -- Each event of a subject is told once.
      unique (organization_id, event, subject_kind, subject_id, dedupe_key)
    );
    create index notices_age on notices (created_at);

    create table notification_deliveries (
      id bigint generated always as identity primary key,
      -- The same at each attempt, so that a receiver recognizes a repeated message.
      public_id uuid not null default gen_random_uuid(),
      organization_id integer not null references organizations,
      notification_id integer not null,
      notice_id bigint not null,
      attempts integer not null default 0,
      created_at timestamptz not null default now(),
      available_at timestamptz not null default now(),
      ended_at timestamptz,
      outcome text check (outcome in ('sent', 'failed', 'moot')),
      status smallint,
      last_error text,
      check ((ended_at is null) = (outcome is null)),
      unique (organization_id, notification_id, notice_id),
      foreign key (organization_id, notification_id) references notifications (organization_id, id) on delete cascade,
      foreign key (organization_id, notice_id) references notices (organization_id, id) on delete cascade
    );
    create index notification_deliveries_notice on notification_deliveries (organization_id, notice_id);
    create index notification_deliveries_waiting on notification_deliveries (notification_id, available_at, id)
      where ended_at is null;
    create index notification_deliveries_ended on notification_deliveries (ended_at) where ended_at is not null;

    create table notice_readers (
      organization_id integer not null references organizations,
      notice_id bigint not null,
      user_id integer not null,
      notification_id integer not null,
      -- What the person must still be able to do when the mail is written; null for a person who is named.
      capability text,
      -- When the digest with it is due; null for a mail of its own.
      due_at timestamptz,
      -- The digest that it went into. No reference: mails are deleted earlier.
      mail_id integer,
      primary key (organization_id, notice_id, user_id),
      foreign key (organization_id, notice_id) references notices (organization_id, id) on delete cascade,
      foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade,
      foreign key (organization_id, notification_id) references notifications (organization_id, id) on delete cascade
    );
    create index notice_readers_user on notice_readers (organization_id, user_id);
    create index notice_readers_channel on notice_readers (organization_id, notification_id);
    create index notice_readers_due on notice_readers (due_at, organization_id, user_id)
      where due_at is not null and mail_id is null;
    create index notice_readers_mail on notice_readers (organization_id, mail_id) where mail_id is not null;
  `)
}
