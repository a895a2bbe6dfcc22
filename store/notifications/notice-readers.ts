import type { Capability } from '../../domain/access/roles.ts'
import { testEvent } from '../../domain/notifications/notice-events.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import type { Notice } from './notices.ts'

/** An event with the channel that tells a person of it. */
export type ReadNotice = Notice & {
  channelName: string
  /** What the person must still be able to do; null for a person who is named. */
  capability: Capability | null
}

/** More are not read for one mail. */
const mostOfDigest = 1_000

/** The people of one organization who are told of events by mail. */
export function noticeReaders(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  /** Only those of channels that are still enabled; a test is sent by any. */
  const read = (userId: number) =>
    db('notice_readers as r')
      .join('notices as n', { 'n.organizationId': 'r.organizationId', 'n.id': 'r.noticeId' })
      .join('notifications as c', {
        'c.organizationId': 'r.organizationId',
        'c.id': 'r.notificationId',
      })
      .where({ 'r.organizationId': organizationId, 'r.userId': userId })
      .where((any) => void any.where('c.enabled', true).orWhere('n.event', testEvent))
      .select('n.*', 'r.capability', 'c.name as channelName')

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
    async ofDigest(mailId: number, userId: number): Promise<ReadNotice[]> {
      return read(userId).where({ 'r.mailId': mailId }).orderBy('n.id').limit(mostOfDigest)
    },

    /** Undefined if the channel was deleted or disabled since. */
    async find(noticeId: number, userId: number): Promise<ReadNotice | undefined> {
      const [row] = await read(userId).where({ 'n.id': noticeId })
      return row
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
    where r.organization_id = :organizationId and r.user_id = :userId and r.notice_id in (select notice_id from due))
  select pg_notify('cc_mail', '') from queued`
