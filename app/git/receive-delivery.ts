import type { Tenant } from '../../store/driver/tenant.ts'
import type { Delivery } from '../../domain/git/webhook-delivery.ts'
import { takeDeliveryId, takeDeliveryType } from '../../workflows/git/contract.ts'
import { controlQueue } from '../../workflows/platform/contract.ts'
import { gitDeliveries } from '../../store/git/git-deliveries.ts'
import { nameOfRepository } from '../../store/git/name-of-repository.ts'
import { outbox } from '../../store/outbox/outbox.ts'

/**
 * Stores a webhook delivery and starts its workflow, once: a host may send a delivery again. One that failed,
 * because the token was refused for example, is started again: a person repaired it, and had the host resend it.
 */
export async function receiveDelivery(
  tenant: Tenant,
  { connectionId, delivery }: { connectionId: number; delivery: Delivery },
): Promise<void> {
  const { organizationId } = tenant

  const deliveries = gitDeliveries(tenant)
  const first = await deliveries.create(connectionId, delivery)
  const received = first ?? (await deliveries.reopen(connectionId, delivery.id))
  if (!received) return
  const { id: deliveryId, receivedAtMs } = received
  const { pullRequest } = delivery
  const input = { organizationId, deliveryId, receivedAtMs }
  const place = first ? String(deliveryId) : `${deliveryId}/${receivedAtMs}`
  const repository = await nameOfRepository(tenant, connectionId)
  await outbox(tenant).start({
    workflowType: takeDeliveryType,
    workflowId: takeDeliveryId({ ...input, place }),
    taskQueue: controlQueue,
    input,
    summary: `${repository}, ${pullRequest === null ? 'push' : `pull request ${pullRequest}`}`,
    searchAttributes: { OrgId: `org-${organizationId}` },
    dedupeKey: `git-delivery/${place}`,
  })
}
