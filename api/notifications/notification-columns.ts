import { refuseField } from '../../domain/clouds/refuse-field.ts'
import { invalid, notFound, type ErrorDetail } from '../../domain/errors.ts'
import type { CostScope } from '../../domain/finops/cost-scope.ts'
import { matchesEvent, noticeEvents } from '../../domain/notifications/notice-events.ts'
import { shownUrl } from '../../domain/notifications/shown-url.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import {
  placeOfUrl,
  type Notification,
  type NotificationColumns,
  type Recipients,
} from '../../store/notifications/notifications.ts'
import { users } from '../../store/users/users.ts'
import { decimalText } from '../finops/decimal-text.ts'
import { assertOwnScope, scopeColumns } from '../finops/scope-columns.ts'
import type { NotificationChangeBody, RecipientsBody } from './schemas.ts'

type Scope = Pick<Notification, 'scopeKind' | 'scopeValue'>
type Sent = Omit<NotificationChangeBody, 'url'> & { url: URL | undefined }

/** The columns of what was sent; `before` is the channel that it changes. */
export function sentColumns(
  { keyring, organizationId }: { keyring: Keyring; organizationId: number },
  { url, recipients, minimumImpact, scopeKind, scopeValue, ...sent }: Sent,
  before?: Scope,
): Partial<NotificationColumns> {
  return {
    ...sent,
    ...scopeOf({ scopeKind, scopeValue }, before),
    ...(url && {
      url: keyring.seal(placeOfUrl(organizationId), url.href),
      urlShown: shownUrl(url),
    }),
    ...(recipients && { recipients: wholeRecipients(recipients) }),
    ...(minimumImpact !== undefined && { minimumImpact: impactText(minimumImpact) }),
  }
}

/** The scope of a body as it is stored. A channel without one is told of all cost. */
function scopeOf(
  { scopeKind, scopeValue }: { scopeKind: Sent['scopeKind']; scopeValue: Sent['scopeValue'] },
  before: Scope | undefined,
): Scope | undefined {
  const faults: ErrorDetail[] = []
  const columns = scopeColumns(
    {
      ...(scopeKind !== undefined && { scopeKind: scopeKind ?? 'all' }),
      ...(scopeValue !== undefined && { scopeValue }),
    },
    before && costScope(before),
    faults,
  )
  const [first] = faults
  if (first) throw invalid(`${first.path}: ${first.message}.`, faults, 'validation_failed')
  if (!columns) return undefined
  const kept = before?.scopeKind ?? null
  return { ...columns, scopeKind: scopeKind === undefined ? kept : scopeKind }
}

const costScope = ({ scopeKind, scopeValue }: Scope): CostScope => ({
  scopeKind: scopeKind ?? 'all',
  scopeValue,
})

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
  await assertOwnScope(tenant, costScope(channel), before && costScope(before))
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
