import { auditChain, chainStart } from '../../store/audit/audit-chain.ts'
import type { Deps } from '../deps.ts'
import type { ChainBody } from './schemas.ts'

const entriesPerRead = 1_000

/** Recomputes an organization's whole chain, a piece at a time, up to its end or to the first entry that is not what was sealed. */
export async function verifyChain(deps: Deps, organizationId: number): Promise<ChainBody> {
  let head = chainStart
  for (;;) {
    // A transaction a piece: a long log must not hold back the clean-up of the whole database.
    const from = head
    const step = await deps.store.tenant(organizationId, async (db) =>
      auditChain(db, organizationId).follow(from, entriesPerRead),
    )
    head = step.head
    if (!step.ended) continue
    return {
      ok: step.brokenAt === undefined,
      throughId: head.position === 0 ? null : head.entryId,
      entries: head.position,
      ...(step.brokenAt !== undefined && { brokenAt: step.brokenAt }),
    }
  }
}
