import type { Role } from '../../domain/access/roles.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

/** A channel that mails an event, and to whom. */
export type MailedChannel = {
  notificationId: number
  userIds: readonly number[]
  capability: string | null
  /** The lowest role with the capability. */
  lowestRole: Role | null
  /** When the digest is due; null: at once. */
  dueAt: Date | null
}

/** Since when a test is due: earlier than every other message, which is how the relay recognizes it. */
const whenTested = new Date(0)

export type Delivery = {
  outcome: 'sent' | 'failed' | 'moot' | null
  status: number | null
  lastError: string | null
}

/** What is to be sent of the events of one organization. Rows of a change's transaction, and a wake-up at its commit. */
export function deliveries(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  return {
    /** One message a channel; the relay sends it. */
    async post(noticeId: number, notificationIds: readonly number[]): Promise<void> {
      if (notificationIds.length === 0) return
      const ids = [...notificationIds]
      await db.raw(postMessages, { organizationId, noticeId, ids, availableAt: null })
    },

    /** A test: before all that waits for the channel, also while it is left alone (notification-queue.ts). */
    async postTest(noticeId: number, notificationId: number): Promise<void> {
      const ids = [notificationId]
      await db.raw(postMessages, { organizationId, noticeId, ids, availableAt: whenTested })
    },

    /**
     * A row for each channel that reaches a person, and one mail a person: at once if one of the channels says so.
     * The rows of daily channels name that mail too, so that no digest tells of the event again. Answers how many
     * people are reached.
     */
    async mail(noticeId: number, channels: readonly MailedChannel[]): Promise<number> {
      if (channels.length === 0) return 0
      const { rows } = await db.raw(mailReaders, {
        organizationId,
        noticeId,
        channels: JSON.stringify(channels),
      })
      return rows[0].readers
    },

    /** How many people `mail` would reach. */
    async countReached(channels: readonly MailedChannel[]): Promise<number> {
      const bound = { organizationId, channels: JSON.stringify(channels) }
      const { rows } = await db.raw(countReaders, bound)
      return rows[0].readers
    },

    /** What became of an event at a channel; undefined if the channel was deleted. */
    async find(notificationId: number, noticeId: number): Promise<Delivery | undefined> {
      return db('notification_deliveries')
        .where({ organizationId, notificationId, noticeId })
        .first('outcome', 'status', 'lastError')
    },

    /** Sends nothing that still waits for this channel. */
    async drop(notificationId: number): Promise<void> {
      await db('notification_deliveries')
        .where({ organizationId, notificationId })
        .whereNull('endedAt')
        .update({ endedAt: db.fn.now(), outcome: 'moot' })
    },
  }
}

const postMessages = `
  with queued as (
    insert into notification_deliveries (organization_id, notification_id, notice_id, available_at)
    select :organizationId, id, :noticeId, coalesce(:availableAt::timestamptz, now()) from unnest(:ids::integer[]) as c(id)
    on conflict (organization_id, notification_id, notice_id) do nothing returning id)
  select pg_notify('cc_notification', '') from (select count(*) from queued) q`

const reached = `
  channels as (
    select * from jsonb_to_recordset(:channels::jsonb) as c(
      "notificationId" integer, "userIds" jsonb, capability text, "lowestRole" text, "dueAt" timestamptz)),
  people as (
    select u.id, c."notificationId", c."dueAt", case when c."userIds" @> to_jsonb(u.id) then null else c.capability end as capability
    from channels c join users u on u.organization_id = :organizationId
    where u.active and u.deprovisioned_at is null and u.email is not null
      and (c."userIds" @> to_jsonb(u.id)
        or c."lowestRole" is not null and (u.platform_admin or exists (select from role_grants g
          where g.organization_id = :organizationId and g.user_id = u.id and g.role >= c."lowestRole"::member_role))))`

const countReaders = `with ${reached} select count(distinct id)::integer as readers from people`

const mailReaders = `
  with ${reached},
  queued as (
    insert into mails (organization_id, kind, user_id, detail)
    select distinct :organizationId::integer, 'notice', id, jsonb_build_object('noticeId', :noticeId::bigint)
    from people where "dueAt" is null
    returning id, user_id),
  readers as (
    insert into notice_readers (organization_id, notice_id, user_id, notification_id, capability, due_at, mail_id)
    select :organizationId, :noticeId, p.id, p."notificationId", p.capability, p."dueAt", q.id
    from people p left join queued q on q.user_id = p.id
    returning user_id)
  select (select count(distinct user_id)::integer from readers) as readers, pg_notify('cc_mail', '')
  from (select count(*) from queued) q`
