import { capabilitiesOf, hasCapability } from '../domain/access/roles.ts'
import type { Letter } from '../gateways/mail/letter.ts'
import { noticeDigestLetter } from '../gateways/mail/letters/notice-digest.ts'
import { noticeLetter } from '../gateways/mail/letters/notice.ts'
import { notificationDisabledLetter } from '../gateways/mail/letters/notification-disabled.ts'
import { notificationFailingLetter } from '../gateways/mail/letters/notification-failing.ts'
import type { Tenant } from '../store/driver/tenant.ts'
import type { MailDetail } from '../store/mails/mails.ts'
import { noticeReaders, type Reader } from '../store/notifications/notice-readers.ts'
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

/**
 * The mail of one event. Undefined if its channels are gone, or the person may no longer read it: then it waits for
 * the digest, if a daily channel tells the person too.
 */
export async function writeNotice(place: Place): Promise<Written> {
  const { tenant, row, person, baseUrl, organizationName } = place
  // The kind determines the type of `detail` (store/mails/mails.ts).
  const { noticeId } = row.detail as MailDetail['notice']
  const readers = noticeReaders(tenant)
  const notice = await readers.find(noticeId, readerOf(person))
  if (!notice) {
    await readers.leaveToDigest(row.id, person.id)
    return undefined
  }
  return { to: person.email, letter: noticeLetter({ baseUrl, organizationName, ...notice }) }
}

/** The mail of a day's events. Undefined if there is none that the person may still read. */
export async function writeNoticeDigest(place: Place): Promise<Written> {
  const { tenant, row, person, baseUrl, organizationName } = place
  const entries = await noticeReaders(tenant).ofDigest(row.id, readerOf(person))
  if (entries.length === 0) return undefined
  return { to: person.email, letter: noticeDigestLetter({ baseUrl, organizationName, entries }) }
}

const readerOf = (person: User): Reader => ({
  userId: person.id,
  capabilities: capabilitiesOf(person),
})

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

/** Undefined if the channel was enabled again, or deleted. */
export async function writeNotificationDisabled(place: Place): Promise<Written> {
  const { tenant, row, person, baseUrl, organizationName } = place
  if (!hasCapability(person, 'manage_cloud_accounts')) return undefined
  // As above.
  const { notificationId } = row.detail as MailDetail['notification_disabled']
  const channel = await notifications(tenant).find(notificationId)
  if (!channel || channel.enabled) return undefined
  const letter = notificationDisabledLetter({
    baseUrl,
    organizationName,
    channelName: channel.name,
    address: channel.urlShown ?? '',
    reason: channel.lastError,
  })
  return { to: person.email, letter }
}
