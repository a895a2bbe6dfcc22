import { createHash } from 'node:crypto'
import { startIngest } from '../../../app/finops/start-ingest.ts'
import type { Caller } from '../../../domain/access/caller.ts'
import { actorOf, auditLog } from '../../../store/audit/audit-log.ts'
import { idempotencyKeys } from '../../../store/requests/idempotency-keys.ts'
import type { Deps } from '../../deps.ts'
import type { BegunIngest } from './answer-ingest.ts'

/** Starts an ingest, or joins the live one. A key that was sent before leads to the ingest of that time and its answer. */
export async function requestIngest(
  { store }: Pick<Deps, 'store'>,
  caller: Caller,
  key: string | undefined,
): Promise<BegunIngest> {
  return store.tenant(caller.organizationId, async (tenant) => {
    const keys = idempotencyKeys(tenant)
    // Of the person, who may have signed in again before repeating the request.
    const who = `user:${caller.userId}`
    if (key !== undefined) {
      const hash = createHash('sha256').update('billing ingest').digest()
      const first = await keys.take(who, key, hash)
      // Written below and by ingestAfterWait, in this shape.
      if (first) return first.response as BegunIngest
    }
    const { ingestId, joined } = await startIngest(tenant, { trigger: 'request' })
    await auditLog(tenant, actorOf(caller)).record('finops.ingest_requested', {
      target: { kind: 'billing_ingest', id: ingestId },
      detail: { joined },
    })
    if (key !== undefined) await keys.answer(who, key, { status: 202, response: { ingestId } })
    return { ingestId }
  })
}
