import type { Caller } from '../../domain/access/caller.ts'
import type { Store } from '../../store/driver/connect.ts'
import { findFirstAnswer } from '../../store/requests/idempotency-keys.ts'
import type { RunAnswer } from './schemas.ts'

/**
 * What the same request was answered before, if it was: asked before the branch, the connection or the artifact is,
 * each of which may be gone by now.
 */
export async function firstAnswerTo(
  store: Store,
  { organizationId, userId }: Pick<Caller, 'organizationId' | 'userId'>,
  {
    idempotencyKey: key,
    requestHash,
  }: { idempotencyKey?: string | undefined; requestHash: Buffer },
): Promise<RunAnswer | undefined> {
  if (key === undefined) return undefined
  const of = { caller: `user:${userId}`, key, requestHash }
  const first = await store.tenant(organizationId, async (tenant) => findFirstAnswer(tenant, of))
  // Written by the first of these requests, in this shape.
  return first?.response as RunAnswer | undefined
}
