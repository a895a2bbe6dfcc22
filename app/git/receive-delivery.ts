import type { Tenant } from '../../store/driver/tenant.ts'
import type { Delivery } from '../../domain/git/webhook-delivery.ts'
import { takeDeliveryId, takeDeliveryType } from '../../workflows/git/contract.ts'
import { controlQueue } from '../../workflows/platform/contract.ts'
import { gitDeliveries } from '../../store/git/git-deliveries.ts'
import { nameOfRepository } from '../../store/git/name-of-repository.ts'
import { outbox } from '../../store/outbox/outbox.ts'

/** Stores a webhook delivery and starts its workflow, once: a host may send a delivery again. */
export async function receiveDelivery(
  tenant: Tenant,
  { connectionId, delivery }: { connectionId: number; delivery: Delivery },
): Promise<void> {
  const { organizationId } = tenant

  const deliveryId = await gitDeliveries(tenant).create(connectionId, delivery)
  if (deliveryId === undefined) return
  const { pullRequest } = delivery
  const input = { organizationId, deliveryId }
  const repository = await nameOfRepository(tenant, connectionId)
  await outbox(tenant).start({
    workflowType: takeDeliveryType,
    workflowId: takeDeliveryId(input),
    taskQueue: controlQueue,
    input,
    summary: `${repository}, ${pullRequest === null ? 'push' : `pull request ${pullRequest}`}`,
    searchAttributes: { OrgId: `org-${organizationId}` },
    dedupeKey: `git-delivery/${deliveryId}`,
  })
}
