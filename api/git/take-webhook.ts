import { invalid, notFound } from '../../domain/errors.ts'
import { deliveryOf } from '../../domain/git/webhook-delivery.ts'
import { isFromHost, type SentWebhook } from '../../domain/git/webhook-signature.ts'
import { receiveDelivery } from '../../app/git/receive-delivery.ts'
import { placeOfWebhookSecret } from '../../store/git/git-connections.ts'
import { webhookTarget } from '../../store/platform/webhook-target.ts'
import type { Deps } from '../deps.ts'

/** Compared with if there is no such connection, so that both cases take the same time. */
const nobodys = Buffer.alloc(32)

/**
 * Receives a delivery of a Git host, once. An unknown connection and a wrong signature get the same
 * answer at the same cost, so that an attacker cannot enumerate connections. `onProven`: the signature is right.
 */
export async function takeWebhook(
  deps: Deps,
  id: number,
  sent: SentWebhook & { onProven: () => void },
): Promise<void> {
  const { store, keyring } = deps
  const target = await webhookTarget(store.platform, id)
  const right = isFromHost(target?.product ?? 'github', sent, {
    secret: target
      ? keyring.open(placeOfWebhookSecret(target.organizationId), target.secret)
      : nobodys,
    signs: target?.signs ?? true,
  })
  if (!target || !right) throw notFound()
  sent.onProven()
  const delivery = readDelivery(target.product, sent)
  if (!delivery) return
  const { organizationId } = target
  await store.tenant(organizationId, async (tenant) =>
    receiveDelivery(tenant, { connectionId: id, delivery }),
  )
}

function readDelivery(...of: Parameters<typeof deliveryOf>) {
  try {
    return deliveryOf(...of)
  } catch {
    throw invalid('The body is not JSON. Register the webhook with application/json.')
  }
}
