import { hasCapability } from '../domain/access/roles.ts'
import type { Letter } from '../gateways/mail/letter.ts'
import { noticeDigestLetter } from '../gateways/mail/letters/notice-digest.ts'
import { noticeLetter } from '../gateways/mail/letters/notice.ts'
import { notificationFailingLetter } from '../gateways/mail/letters/notification-failing.ts'
import type { Tenant } from '../store/driver/tenant.ts'
import type { MailDetail } from '../store/mails/mails.ts'
import { noticeReaders, type ReadNotice } from '../store/notifications/notice-readers.ts'
import { notifications } from '../store/notifications/notifications.ts'
import type { QueuedMail } from '../store/platform/mail-queue.ts'
import type { User } from '../store/users/users.ts'

type Place = {
  tenant: Tenant
  row: QueuedMail
  person: User
  baseUrl: string
  organizationName: string
}
type Written = { to: string | null; letter: Letter } | undefined

/** The mail of one event. Undefined if its channel is gone, or the person may no longer read it. */
export async function writeNotice(place: Place): Promise<Written> {
  const { tenant, row, person, baseUrl, organizationName } = place
  // The kind determines the type of `detail` (store/mails/mails.ts).
  const { noticeId } = row.detail as MailDetail['notice']
  const notice = await noticeReaders(tenant).find(noticeId, person.id)
  if (!notice || !mayRead(person, notice)) return undefined
  return { to: person.email, letter: noticeLetter({ baseUrl, organizationName, ...notice }) }
}

/** The mail of a day's events. Undefined if there is none that the person may still read. */
export async function writeNoticeDigest(place: Place): Promise<Written> {
  const { tenant, row, person, baseUrl, organizationName } = place
  const notices = await noticeReaders(tenant).ofDigest(row.id, person.id)
  const entries = notices.filter((notice) => mayRead(person, notice))
  if (entries.length === 0) return undefined
  return { to: person.email, letter: noticeDigestLetter({ baseUrl, organizationName, entries }) }
}

const mayRead = (person: User, { capability }: ReadNotice): boolean =>
  capability === null || hasCapability(person, capability)

/** Undefined if the channel works again, or is no longer used. */
export async function writeNotificationFailing(place: Place): Promise<Written> {
  const { tenant, row, person, baseUrl, organizationName } = place
  if (!hasCapability(person, 'manage_cloud_accounts')) return undefined
  // As above.
  const { notificationId } = row.detail as MailDetail['notification_failing']
  const channel = await notifications(tenant).find(notificationId)
  if (!channel?.enabled || !channel.failingSince) return undefined
  const letter = notificationFailingLetter({
    baseUrl,
    organizationName,
    channelName: channel.name,
    address: channel.urlShown ?? '',
    since: channel.failingSince,
    reason: channel.lastError,
  })
  return { to: person.email, letter }
}
