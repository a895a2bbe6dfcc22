import type { Caller } from '../../domain/access/caller.ts'
import { newSigningSecret } from '../../domain/notifications/new-signing-secret.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import {
  notifications,
  placeOfSecret,
  type Notification,
} from '../../store/notifications/notifications.ts'
import type { Deps } from '../deps.ts'
import { checkUrl } from './check-url.ts'
import { assertChannel, sentColumns } from './notification-columns.ts'
import type { NewNotificationBody } from './schemas.ts'

/** Adds a channel. The key of a webhook's signatures is made here, and returned once. */
export async function createNotification(
  deps: Deps,
  caller: Caller,
  { kind, url: text, ...input }: NewNotificationBody,
): Promise<{ notification: Notification; secret: string | undefined }> {
  const { organizationId } = caller
  const { outbound } = deps
  const url = text === undefined ? undefined : await checkUrl({ outbound, organizationId }, text)
  const sent = sentColumns({ keyring: deps.keyring, organizationId }, { ...input, url })
  const secret = kind === 'webhook' ? newSigningSecret() : undefined
  const columns = {
    ...nothing,
    ...sent,
    kind,
    name: input.name,
    events: input.events,
    secret: secret === undefined ? null : deps.keyring.seal(placeOfSecret(organizationId), secret),
  }
  return deps.store.tenant(organizationId, async (tenant) => {
    await assertChannel(tenant, columns)
    const notification = await notifications(tenant).create(columns)
    await auditLog(tenant, actorOf(caller)).record('notification.created', {
      target: { kind: 'notification', id: notification.id, label: notification.name },
      detail: { kind, url: notification.urlShown, events: notification.events },
    })
    return { notification, secret }
  })
}

const nothing = {
  url: null,
  urlShown: null,
  recipients: null,
  scopeKind: null,
  scopeValue: null,
  minimumImpact: null,
  digest: 'immediate',
  enabled: true,
} as const
