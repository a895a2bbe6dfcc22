import type { Caller } from '../../domain/access/caller.ts'
import { conflict } from '../../domain/errors.ts'
import { newSigningSecret } from '../../domain/notifications/new-signing-secret.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { channelMarks } from '../../store/notifications/channel-marks.ts'
import {
  notifications,
  placeOfOldSecret,
  placeOfSecret,
} from '../../store/notifications/notifications.ts'
import type { Deps } from '../deps.ts'

/** How long messages are signed with the old key too, so that a receiver is changed without losing any. */
const oldKeyHours = 24

/** Makes a new key of a webhook's signatures, which is returned once. A second call ends the first old key. */
export async function rotateSecret(deps: Deps, caller: Caller, id: number): Promise<string> {
  const { organizationId } = caller
  const { keyring } = deps
  const secret = newSigningSecret()
  await deps.store.tenant(organizationId, async (tenant) => {
    const channel = await notifications(tenant).getForUpdate(id)
    if (channel.secret === null) throw conflict('no_secret', 'Only a webhook has a secret.')
    // Sealed anew: a seal is bound to its column.
    const old = keyring.open(placeOfSecret(organizationId), channel.secret)
    await channelMarks(tenant).replaceSecret(id, {
      secret: keyring.seal(placeOfSecret(organizationId), secret),
      oldSecret: keyring.seal(placeOfOldSecret(organizationId), old),
      hours: oldKeyHours,
    })
    await auditLog(tenant, actorOf(caller)).record('notification.secret_rotated', {
      target: { kind: 'notification', id, label: channel.name },
    })
  })
  return secret
}
