import { lowestRole } from '../../domain/access/roles.ts'
import type { Announcement } from '../../domain/notifications/announcement.ts'
import { boundDetail, cutText } from '../../domain/notifications/bound-detail.ts'
import { nextDigest } from '../../domain/notifications/next-digest.ts'
import { severityOf, type Severity } from '../../domain/notifications/notice-events.ts'
import { reaches } from '../../domain/notifications/reaches.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { deliveries, type MailedChannel } from '../../store/notifications/deliveries.ts'
import { notices, type NewNotice } from '../../store/notifications/notices.ts'
import { notifications, type Notification } from '../../store/notifications/notifications.ts'

const mostLines = 20

/**
 * Tells the organization's channels of an event, in the transaction of the change that it reports: rows of the
 * queues, which the worker sends after the commit. Each (event, subject, dedupeKey) is told once, so a repeated
 * activity tells nobody again. False if it was announced before.
 */
export async function announce(tenant: Tenant, about: Announcement): Promise<boolean> {
  const severity = about.severity ?? severityOf(about.event)
  const noticeId = await notices(tenant).add(noticeOf(about, severity))
  if (noticeId === undefined) return false
  const channels = await notifications(tenant).listEnabled()
  const told = channels.filter((channel) => reaches(channel, about))
  const posted = told.filter(({ kind }) => kind !== 'email')
  await deliveries(tenant).post(
    noticeId,
    posted.map(({ id }) => id),
  )
  const mailed = told.flatMap((channel) => mailedChannel(channel, about, severity) ?? [])
  await deliveries(tenant).mail(noticeId, mailed)
  return true
}

/** Texts can come from a bill or a cloud, so each is bounded. */
const noticeOf = (about: Announcement, severity: Severity): NewNotice => ({
  event: about.event,
  subjectKind: about.subject.kind,
  subjectId: String(about.subject.id),
  subjectLabel: cutText(about.subject.label, 200),
  dedupeKey: about.dedupeKey ?? '',
  severity,
  title: cutText(about.title, 300),
  lines: (about.lines ?? []).slice(0, mostLines).map((line) => cutText(line, 1_000)),
  path: about.path ?? '/',
  // An object stays one.
  detail: boundDetail(about.detail ?? {}) as Record<string, unknown>,
})

function mailedChannel(
  { id, recipients, digest }: Notification,
  { userIds = [] }: Announcement,
  severity: Severity,
): MailedChannel | undefined {
  if (!recipients) return undefined
  const { capability } = recipients
  return {
    notificationId: id,
    userIds: [...recipients.userIds, ...(recipients.owners ? userIds : [])],
    capability,
    lowestRole: capability && lowestRole[capability],
    dueAt: digest === 'daily' && severity !== 'high' ? nextDigest(new Date()) : null,
  }
}
