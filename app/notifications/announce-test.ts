import { lowestRole } from '../../domain/access/roles.ts'
import { testEvent } from '../../domain/notifications/notice-events.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { deliveries } from '../../store/notifications/deliveries.ts'
import { notices } from '../../store/notifications/notices.ts'
import type { Notification } from '../../store/notifications/notifications.ts'

/**
 * A test message to one channel, on the way of every other message. `recipients` are the people who are mailed:
 * those of the channel, or who tries it where it reaches only the authors of runs; null for other channels.
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
    await deliveries(tenant).post(noticeId, [id])
    return { noticeId, recipients: null }
  }
  const { capability, userIds } = recipients
  const isForOwners = capability === null && userIds.length === 0
  const reached = await deliveries(tenant).mail(noticeId, [
    {
      notificationId: id,
      userIds: isForOwners ? [by] : userIds,
      capability,
      lowestRole: capability && lowestRole[capability],
      dueAt: null,
    },
  ])
  return { noticeId, recipients: reached }
}
