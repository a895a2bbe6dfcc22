import { invalid, notFound } from '../../domain/errors.ts'
import type { GitProduct } from '../../domain/git/providers.ts'
import { deliveryReader, type Delivery } from '../../domain/git/webhook-delivery.ts'
import { webhookCheck, type WebhookHeaders } from '../../domain/git/webhook-signature.ts'
import { NotJson, UnreadableJson } from '../../domain/json/pick-json.ts'
import { receiveDelivery } from '../../app/git/receive-delivery.ts'
import { auditLog, systemActor } from '../../store/audit/audit-log.ts'
import { gitConnections, placeOfWebhookSecret } from '../../store/git/git-connections.ts'
import { webhookTarget } from '../../store/platform/webhook-target.ts'
import type { Deps } from '../deps.ts'
import { inParts } from './in-parts.ts'

/** Compared with if there is no such connection, so that both cases take the same time. */
const nobodys = Buffer.alloc(32)

type Sent = { headers: WebhookHeaders; body: readonly Buffer[] }

/**
 * Receives a delivery of a Git host, once. An unknown connection and a wrong signature get the same
 * answer at the same cost, so that an attacker cannot enumerate connections. `onProven`: the signature is right.
 */
export async function takeWebhook(
  deps: Deps,
  id: number,
  { headers, body, onProven }: Sent & { onProven: () => void },
): Promise<void> {
  const { store, keyring } = deps
  const target = await webhookTarget(store.platform, id)
  const check = webhookCheck(target?.product ?? 'github', headers, {
    secret: target
      ? keyring.open(placeOfWebhookSecret(target.organizationId), target.secret)
      : nobodys,
    signs: target?.signs ?? true,
  })
  await inParts(body, (part) => check.add(part))
  const right = check.isRight()
  if (!target || !right) throw notFound()
  onProven()
  const { organizationId, product } = target
  const read = await readDelivery(product, { headers, body })
  if (typeof read === 'string') {
    await noteUnread(deps, { organizationId, id, reason: read })
    throw invalid(read)
  }
  if (!read.delivery) return
  const { delivery } = read
  await store.tenant(organizationId, async (tenant) =>
    receiveDelivery(tenant, { connectionId: id, delivery }),
  )
}

/** What the delivery is about, or why it cannot be read. */
async function readDelivery(
  product: GitProduct,
  { headers, body }: Sent,
): Promise<{ delivery: Delivery | undefined } | string> {
  const reader = deliveryReader(product, headers)
  try {
    await inParts(body, (part) => reader.add(part))
    return { delivery: reader.end() }
  } catch (error) {
    if (!(error instanceof UnreadableJson)) throw error
    const advice = error instanceof NotJson ? ' Register the webhook with application/json.' : ''
    return `The body ${error.message}.${advice}`
  }
}

/** A host shows its own list of deliveries to few people. Audited once, until the webhook is registered anew. */
async function noteUnread(
  { store }: Deps,
  { organizationId, id, reason }: { organizationId: number; id: number; reason: string },
): Promise<void> {
  await store.tenant(organizationId, async (tenant) => {
    const connections = gitConnections(tenant)
    const isNew = await connections.noteUnread(id, `A delivery was refused. ${reason}`)
    if (!isNew) return
    const { defaultRepo, host } = await connections.get(id)
    await auditLog(tenant, systemActor).record('git.push_refused', {
      outcome: 'failure',
      target: { kind: 'git_connection', id, label: defaultRepo ?? host },
      detail: { code: 'invalid', reason },
    })
  })
}
