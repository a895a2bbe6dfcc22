import type { Caller } from '../../domain/access/caller.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { notifications } from '../../store/notifications/notifications.ts'
import type { Deps } from '../deps.ts'

/** Deletes a channel, with what still waits to be sent by it. */
export async function deleteNotification(deps: Deps, caller: Caller, id: number): Promise<void> {
  await deps.store.tenant(caller.organizationId, async (tenant) => {
    const notification = await notifications(tenant).getForUpdate(id)
    await notifications(tenant).delete(id)
    await auditLog(tenant, actorOf(caller)).record('notification.deleted', {
      target: { kind: 'notification', id, label: notification.name },
      detail: { kind: notification.kind },
    })
  })
}
