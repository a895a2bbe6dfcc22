import { invalid, notFound } from '../../domain/errors.ts'
import { deliveryOf } from '../../domain/git/webhook-delivery.ts'
import { isFromHost, type SentWebhook } from '../../domain/git/webhook-signature.ts'
import { gitDeliveries } from '../../store/git/git-deliveries.ts'
import { placeOfWebhookSecret } from '../../store/git/git-connections.ts'
import { webhookTarget } from '../../store/platform/webhook-target.ts'
import type { Deps } from '../deps.ts'

/** What nobody's delivery is compared with: it takes as long as one of a connection. */
const nobodys = Buffer.alloc(32)

/**
 * Takes a delivery of a Git host, once. A connection that is not there and a signature that is
 * wrong get one answer at one cost, so that nobody learns which connections there are.
 */
export async function takeWebhook(deps: Deps, id: number, sent: SentWebhook): Promise<void> {
  const { store, keyring } = deps
  const target = await webhookTarget(store.platform, id)
  const right = isFromHost(target?.product ?? 'github', sent, {
    secret: target
      ? keyring.open(placeOfWebhookSecret(target.organizationId), target.secret)
      : nobodys,
    signs: target?.signs ?? true,
  })
  if (!target || !right) throw notFound()
  const delivery = readDelivery(target.product, sent)
  if (!delivery) return
  const { organizationId } = target
  await store.tenant(organizationId, async (db) =>
    gitDeliveries(db, organizationId).take(id, delivery),
  )
}

function readDelivery(...of: Parameters<typeof deliveryOf>) {
  try {
    return deliveryOf(...of)
  } catch {
    throw invalid('The body is not JSON. Register the webhook with application/json.')
  }
}
