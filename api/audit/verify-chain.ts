import { chainStart, type ChainHead } from '../../domain/audit/chain-head.ts'
import { chainHeads } from '../../gateways/keyring/chain-heads.ts'
import { auditChain } from '../../store/audit/audit-chain.ts'
import { AppError } from '../../domain/errors.ts'
import type { Deps } from '../deps.ts'
import type { ChainBody } from './schemas.ts'

/** An entry has up to some 10 KB, and a piece is hashed at one stretch. */
const entriesPerRead = 200

/**
 * Recomputes an organization's whole hash chain in pieces, up to its end or to the first entry that
 * differs from what was sealed, and compares the end with the head that the keyring has sealed. Ends early
 * when the client is gone.
 */
export async function verifyChain(
  deps: Deps,
  organizationId: number,
  gone: () => boolean = () => false,
): Promise<ChainBody> {
  let proved = chainStart
  // The least length of the chain, once its sealed head was read.
  let promised = 0
  for (;;) {
    // One transaction per piece: a long transaction would hold back the vacuum of the whole database.
    const from = proved
    const step = await deps.store.tenant(organizationId, async (tenant) =>
      auditChain(tenant).follow(from, entriesPerRead),
    )
    proved = step.head
    if (step.brokenAt !== undefined) return answer(proved, { brokenAt: step.brokenAt })
    if (gone()) return answer(proved)
    if (!step.ended) continue
    if (proved.position < promised) return answer(proved, { missing: promised - proved.position })
    const end = await sealedEnd(deps, organizationId)
    // Sealed since the last piece was read, or cut off: the next iteration tells which.
    if (end.position > proved.position) promised = end.position
    else if (end.position === proved.position && end.hash.equals(proved.hash)) return answer(proved)
    // The whole chain was replaced: none of it is what was sealed.
    else return answer(chainStart, { brokenAt: proved.entryId })
  }
}

async function sealedEnd(deps: Deps, organizationId: number): Promise<ChainHead> {
  const sealed = await deps.store.tenant(organizationId, async (tenant) =>
    auditChain(tenant).sealedHead(),
  )
  if (!sealed) return chainStart
  try {
    return chainHeads(deps.keyring).open(organizationId, sealed)
  } catch (error) {
    if (error instanceof AppError) throw error
    // The head does not open with the keyring, so it proves nothing.
    return chainStart
  }
}

const answer = (
  { position, entryId }: ChainHead,
  fault: Pick<ChainBody, 'brokenAt' | 'missing'> = {},
): ChainBody => ({
  ok: fault.brokenAt === undefined && fault.missing === undefined,
  throughId: position === 0 ? null : entryId,
  entries: position,
  ...fault,
})
