import { refuseField } from '../../domain/clouds/refuse-field.ts'
import { invalid, notFound } from '../../domain/errors.ts'
import { matchesEvent, noticeEvents } from '../../domain/notifications/notice-events.ts'
import { shownUrl } from '../../domain/notifications/shown-url.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'
import { cloudAccounts } from '../../store/clouds/cloud-accounts.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import {
  placeOfUrl,
  type Notification,
  type NotificationColumns,
  type Recipients,
} from '../../store/notifications/notifications.ts'
import { users } from '../../store/users/users.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import { decimalText } from '../finops/decimal-text.ts'
import type { NotificationChangeBody, RecipientsBody } from './schemas.ts'

type Sent = Omit<NotificationChangeBody, 'url'> & { url: URL | undefined }

/** The columns of what was sent. */
export function sentColumns(
  { keyring, organizationId }: { keyring: Keyring; organizationId: number },
  { url, recipients, minimumImpact, ...sent }: Sent,
): Partial<NotificationColumns> {
  return {
    ...sent,
    ...(url && {
      url: keyring.seal(placeOfUrl(organizationId), url.href),
      urlShown: shownUrl(url),
    }),
    ...(recipients && { recipients: wholeRecipients(recipients) }),
    ...(minimumImpact !== undefined && { minimumImpact: impactText(minimumImpact) }),
  }
}

const wholeRecipients = ({
  userIds = [],
  capability = null,
  owners = false,
}: RecipientsBody): Recipients => ({ userIds, capability, owners })

function impactText(amount: number | null): string | null {
  if (amount === null) return null
  const text = decimalText(amount)
  if (text === undefined) throw refuseField('minimumImpact', 'has more than 12 decimals')
  return text
}

type Whole = Pick<
  Notification,
  'kind' | 'url' | 'recipients' | 'events' | 'scopeKind' | 'scopeValue' | 'digest'
>

/** Refuses a channel that could not be told of anything, or that names what is not the organization's. */
export async function assertChannel(tenant: Tenant, channel: Whole, before?: Whole): Promise<void> {
  const { kind, url, recipients, digest, events } = channel
  const isMailed = kind === 'email'
  if (isMailed && url) throw refuseField('url', 'is no part of a channel of kind email')
  if (isMailed && !recipients) throw refuseField('recipients', 'is needed by kind email')
  if (!isMailed && recipients) throw refuseField('recipients', `is no part of kind ${kind}`)
  if (!isMailed && !url) throw refuseField('url', `is needed by kind ${kind}`)
  if (!isMailed && digest === 'daily')
    throw refuseField('digest', 'is immediate for every kind but email: the daily digest is a mail')
  for (const [at, pattern] of events.entries())
    if (!noticeEvents.some((event) => matchesEvent(pattern, event)))
      throw refuseField(`events.${at}`, `matches none of ${noticeEvents.join(', ')}`)
  await assertRecipients(tenant, recipients, before?.recipients ?? null)
  await assertScope(tenant, channel, before)
}

async function assertRecipients(
  tenant: Tenant,
  recipients: Recipients | null,
  before: Recipients | null,
): Promise<void> {
  if (!recipients) return
  const { userIds, capability, owners } = recipients
  if (userIds.length === 0 && capability === null && !owners)
    throw refuseField('recipients', 'names nobody: give userIds, a capability or owners')
  // People who left since may stay, so that a channel can be sent back as it was read.
  const added = userIds.filter((id) => !before?.userIds.includes(id))
  const known = await users(tenant).listByIds(added)
  if (known.length < added.length) throw notFound()
}

async function assertScope(
  tenant: Tenant,
  { scopeKind, scopeValue }: Whole,
  before?: Whole,
): Promise<void> {
  if (scopeKind === null || scopeKind === 'all') {
    if (scopeValue === null) return
    throw refuseField('scopeValue', 'is given with a scopeKind other than all')
  }
  if (scopeValue === null) throw refuseField('scopeValue', `is needed by scopeKind ${scopeKind}`)
  if (scopeKind === 'tag' && scopeValue !== 'untagged' && !/^[^=]+=/.test(scopeValue))
    throw invalid('scopeValue: is a key and a value of a tag, as team=web, or untagged.', [
      { path: 'scopeValue', message: 'is a key and a value of a tag, as team=web, or untagged' },
    ])
  if (before?.scopeKind === scopeKind && before.scopeValue === scopeValue) return
  if (scopeKind === 'account') await cloudAccounts(tenant).get(idOf(scopeValue))
  if (scopeKind === 'workspace') await workspaces(tenant).get(idOf(scopeValue))
}

/** What is no id is none of the organization's. */
function idOf(text: string): number {
  const id = /^[1-9][0-9]{0,9}$/.test(text) ? Number(text) : 0
  if (id === 0 || id > 2_147_483_647) throw notFound()
  return id
}
