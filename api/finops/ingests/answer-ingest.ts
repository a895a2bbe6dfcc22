import type { FastifyReply } from 'fastify'
import type { Deps } from '../../deps.ts'
import { presentIngest } from './present-ingest.ts'
import type { IngestBody } from './schemas.ts'
import { waitForIngest } from './wait-for-ingest.ts'

/** The ingest once it is over, or as it stands after the wait. */
export async function ingestAfterWait(
  deps: Pick<Deps, 'store' | 'changes'>,
  reply: FastifyReply,
  at: { organizationId: number; ingestId: number },
): Promise<{ ingest: IngestBody; isOver: boolean }> {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  const isOver = await waitForIngest(deps, at, gone.signal)
  const ingest = await deps.store.tenant(at.organizationId, async (tenant) =>
    presentIngest(tenant, at.ingestId),
  )
  return { ingest, isOver }
}
