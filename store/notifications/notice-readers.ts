import type { Capability } from '../../domain/access/roles.ts'
import { testEvent } from '../../domain/notifications/notice-events.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import type { Notice } from './notices.ts'

/** An event with the channel that tells a person of it. */
export type ReadNotice = Notice & { channelName: string }

/** A person to whom a mail is written, with what they can do now. */
export type Reader = { userId: number; capabilities: readonly Capability[] }

/** More are not read for one mail. */
const mostOfDigest = 1_000

/** The people of one organization who are told of events by mail. */
export function noticeReaders(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  /**
   * Each event once, by any channel that is still enabled (a test is sent by any) and that names the person or asks
   * for what they can still do.
   */
  const read = ({ userId, capabilities }: Reader) =>
    db('notice_readers as r')
      .join('notices as n', { 'n.organizationId': 'r.organizationId', 'n.id': 'r.noticeId' })
      .join('notifications as c', {
        'c.organizationId': 'r.organizationId',
        'c.id': 'r.notificationId',
      })
      .where({ 'r.organizationId': organizationId, 'r.userId': userId })
      .where((any) => void any.where('c.enabled', true).orWhere('n.event', testEvent))
      .where((any) => void any.whereNull('r.capability').orWhereIn('r.capability', capabilities))
      .distinctOn('n.id')
      .orderBy(['n.id', 'c.id'])
      .select('n.*', 'c.name as channelName')

  return {
    /**
     * Queues one mail with all events whose digest is due. The person's row is locked, so that of two workers
     * one takes the events, and the other finds none.
     */
    async queueDigest(userId: number): Promise<void> {
      await db('users').where({ organizationId, id: userId }).forNoKeyUpdate().first('id')
      await db.raw(queueDigest, { organizationId, userId })
    },

    /** The events of a digest, oldest first. */
    async ofDigest(mailId: number, reader: Reader): Promise<ReadNotice[]> {
      return read(reader).where({ 'r.mailId': mailId }).limit(mostOfDigest)
    },

    /** An event of a mail at once; undefined if no channel at once tells the person of it any more. */
    async find(noticeId: number, reader: Reader): Promise<ReadNotice | undefined> {
      const [row] = await read(reader).where({ 'n.id': noticeId }).whereNull('r.dueAt')
      return row
    },

    /** Leaves the event of a mail at once, which is not sent, to the digest of the daily channels. */
    async leaveToDigest(mailId: number, userId: number): Promise<void> {
      await db('notice_readers')
        .where({ organizationId, userId, mailId })
        .whereNotNull('dueAt')
        .update({ mailId: null })
    },
  }
}

const queueDigest = `
  with due as (
    select notice_id from notice_readers
    where organization_id = :organizationId and user_id = :userId and due_at <= now() and mail_id is null),
  queued as (
    insert into mails (organization_id, kind, user_id)
    select :organizationId, 'notice_digest', :userId where exists (select from due)
    returning id),
  taken as (
    update notice_readers r set mail_id = q.id from queued q
    where r.organization_id = :organizationId and r.user_id = :userId and r.due_at <= now() and r.mail_id is null)
  select pg_notify('cc_mail', '') from queued`
