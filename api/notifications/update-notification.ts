import { isDeepStrictEqual } from 'node:util'
import type { Caller } from '../../domain/access/caller.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { deliveries } from '../../store/notifications/deliveries.ts'
import {
  notifications,
  type Notification,
  type NotificationColumns,
} from '../../store/notifications/notifications.ts'
import type { Deps } from '../deps.ts'
import { checkUrl } from './check-url.ts'
import { assertChannel, sentColumns } from './notification-columns.ts'
import type { NotificationChangeBody } from './schemas.ts'

/** Changes a channel. What waits for a disabled one is dropped; what waits for a changed address goes there. */
export async function updateNotification(
  deps: Deps,
  caller: Caller,
  { id, change: { url: text, ...change } }: { id: number; change: NotificationChangeBody },
): Promise<Notification> {
  const { organizationId } = caller
  const { outbound } = deps
  const url = text === undefined ? undefined : await checkUrl({ outbound, organizationId }, text)
  const context = { keyring: deps.keyring, organizationId }
  return deps.store.tenant(organizationId, async (tenant) => {
    const before = await notifications(tenant).getForUpdate(id)
    const columns = changedColumns(before, sentColumns(context, { ...change, url }, before))
    if (Object.keys(columns).length === 0) return before
    await assertChannel(tenant, { ...before, ...columns }, before)
    const after = await notifications(tenant).update(id, columns)
    if (!after.enabled) await deliveries(tenant).drop(id)
    await auditLog(tenant, actorOf(caller)).record('notification.updated', {
      target: { kind: 'notification', id, label: after.name },
      detail: detailOf(before, after, columns),
    })
    return after
  })
}

/** An address is sealed and cannot be compared, so sending it is a change. */
function changedColumns(
  before: Notification,
  sent: Partial<NotificationColumns>,
): Partial<NotificationColumns> {
  return Object.fromEntries(
    Object.entries(sent).filter(([column, value]) => {
      const had = before[column as keyof NotificationColumns]
      if (column === 'minimumImpact' && typeof had === 'string' && typeof value === 'string')
        return Number(had) !== Number(value)
      return column === 'url' || !isDeepStrictEqual(had, value)
    }),
  )
}

/** Of the address only what every member sees. */
const detailOf = (
  before: Notification,
  after: Notification,
  columns: Partial<NotificationColumns>,
): Record<string, unknown> => ({
  ...Object.fromEntries(
    shown
      .filter((column) => column in columns)
      .map((column) => [column, { from: before[column], to: after[column] }]),
  ),
  ...('url' in columns && { replaced: ['url'] }),
})

const shown = [
  'name',
  'urlShown',
  'recipients',
  'events',
  'scopeKind',
  'scopeValue',
  'minimumImpact',
  'digest',
  'enabled',
] as const
