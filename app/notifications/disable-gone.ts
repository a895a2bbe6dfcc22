import { auditLog, systemActor } from '../../store/audit/audit-log.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { channelMarks } from '../../store/notifications/channel-marks.ts'
import { deliveries } from '../../store/notifications/deliveries.ts'
import { mailManagers } from '../../store/notifications/tell-failing.ts'

/**
 * Disables a channel whose receiver answered 410 Gone, as Standard Webhooks asks. What waits for it is dropped, and
 * its managers are mailed. Idempotent: only the call that disables it drops, mails and writes an entry.
 */
export async function disableGone(
  tenant: Tenant,
  { notificationId: id, url }: { notificationId: number; url: Buffer },
  answer: string,
): Promise<void> {
  const reason = `Disabled because the address is gone. ${answer}`
  const label = await channelMarks(tenant).disable(id, { url, reason })
  if (label === undefined) return
  await deliveries(tenant).drop(id)
  await auditLog(tenant, systemActor).record('notification.updated', {
    target: { kind: 'notification', id, label },
    detail: { enabled: { from: true, to: false }, reason: 'gone', status: 410 },
  })
  await mailManagers(tenant, 'notification_disabled', id)
}
