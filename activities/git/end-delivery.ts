import { gitDeliveries } from '../../store/git/git-deliveries.ts'
import type { TakeDeliveryInput } from '../../workflows/git/contract.ts'
import type { Deps } from '../deps.ts'

/** Last step: stores the outcome. Without a code it is a success. */
export const endDelivery =
  ({ store }: Deps) =>
  async ({
    organizationId,
    deliveryId,
    receivedAtMs,
    code = 'handled',
  }: TakeDeliveryInput & { code?: string }): Promise<void> =>
    store.tenant(organizationId, async (tenant) =>
      gitDeliveries(tenant).end(deliveryId, code, receivedAtMs),
    )
