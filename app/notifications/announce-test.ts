import { lowestRole } from '../../domain/access/roles.ts'
import { testEvent } from '../../domain/notifications/notice-events.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { deliveries } from '../../store/notifications/deliveries.ts'
import { notices } from '../../store/notifications/notices.ts'
import type { Notification } from '../../store/notifications/notifications.ts'

const mailedByTestAtMost = 20

/**
 * A test message to one channel, on the way of every other message. A channel of mails that reaches more than 20
 * people, or only the authors of runs, sends it to the person `by` alone: otherwise one person could mail the whole
 * organization. `recipients` is how many people are mailed; null for other channels.
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
  const { capability, userIds } = recipients
  const everybody = {
    notificationId: id,
    userIds,
    capability,
    lowestRole: capability && lowestRole[capability],
    dueAt: null,
  }
  const reached = await deliveries(tenant).countReached([everybody])
  const isForAll = reached > 0 && reached <= mailedByTestAtMost
  const nobodyElse = { ...everybody, userIds: [by], capability: null, lowestRole: null }
  const mailed = await deliveries(tenant).mail(noticeId, [isForAll ? everybody : nobodyElse])
  return { noticeId, recipients: mailed }
}
