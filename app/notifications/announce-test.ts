import { testEvent } from '../../domain/notifications/notice-events.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { deliveries } from '../../store/notifications/deliveries.ts'
import { notices } from '../../store/notifications/notices.ts'
import type { Notification } from '../../store/notifications/notifications.ts'

/**
 * A test message to one channel, on the way of every other message. Of a channel of mails the person `by` alone
 * gets it: a test for everybody would let one person mail the whole organization as often as they like.
 * `recipients` is how many people are mailed; null for other channels.
 */
export async function announceTest(
  tenant: Tenant,
  { id, name, recipients }: Notification,
  { key, by }: { key: string; by: number },
): Promise<{ noticeId: number; recipients: number | null }> {
  const noticeId = await notices(tenant).add({
    event: testEvent,
    subjectKind: 'notification',
    subjectId: String(id),
    subjectLabel: name,
    dedupeKey: key,
    severity: 'low',
    title: `Test of the notification ${name}`,
    lines: ['Somebody asked for this message to try the channel. There is nothing to do.'],
    path: '/organization',
    detail: {},
  })
  if (noticeId === undefined) throw new Error('the key of a test is not new')
  if (!recipients) {
    await deliveries(tenant).postTest(noticeId, id)
    return { noticeId, recipients: null }
  }
  const reached = await deliveries(tenant).mail(noticeId, [
    { notificationId: id, userIds: [by], capability: null, lowestRole: null, dueAt: null },
  ])
  return { noticeId, recipients: reached }
}
