import type { FastifyReply } from 'fastify'
import type { Static } from 'typebox'
import type { Caller } from '../../../domain/access/caller.ts'
import { manifestOfUpload } from '../../../domain/finops/upload-names.ts'
import { idempotencyKeys } from '../../../store/requests/idempotency-keys.ts'
import type { Deps } from '../../deps.ts'
import { presentIngest } from './present-ingest.ts'
import type { IngestAnswer, IngestBody } from './schemas.ts'
import { waitForIngest } from './wait-for-ingest.ts'

/** What was begun: by the first request under a key, with its answer if that was given. */
export type BegunIngest = {
  ingestId: number
  /** Of the upload that began it. */
  uploadId?: number
  answer?: Static<typeof IngestAnswer>
}

type Asked = { caller: Caller; key: string | undefined; begun: BegunIngest }

/**
 * The ingest once it is over, or as it stands after the wait. Under a repeated Idempotency-Key it is as the first answer
 * had it, whatever became of it since.
 */
export async function ingestAfterWait(
  deps: Pick<Deps, 'store' | 'changes'>,
  reply: FastifyReply,
  { caller, key, begun }: Asked,
): Promise<{ ingest: IngestBody; isOver: boolean }> {
  const { ingestId, uploadId, answer } = begun
  if (answer) return asAnswered(answer.ingest)
  const { organizationId } = caller
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  const isOver = await waitForIngest(deps, { organizationId, ingestId }, gone.signal)
  return deps.store.tenant(organizationId, async (tenant) => {
    const ingest = await presentIngest(tenant, ingestId, {
      ...(uploadId !== undefined && { manifest: manifestOfUpload(uploadId) }),
    })
    // Not to a caller who has left: the answer that they get is the next one.
    if (key === undefined || gone.signal.aborted) return { ingest, isOver }
    const kept = await idempotencyKeys(tenant).settle(`user:${caller.userId}`, key, {
      status: isOver ? 200 : 202,
      response: { ok: true, ingest } satisfies Static<typeof IngestAnswer>,
    })
    // Of two requests under one key at once, both are answered with what the first one kept, in the shape of above.
    return kept
      ? asAnswered((kept.response as Static<typeof IngestAnswer>).ingest)
      : { ingest, isOver }
  })
}

const asAnswered = (ingest: IngestBody) => ({ ingest, isOver: ingest.state !== 'running' })
