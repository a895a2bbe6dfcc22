import { startIngest } from '../../../app/finops/start-ingest.ts'
import type { Caller } from '../../../domain/access/caller.ts'
import { AppError, type ErrorDetail } from '../../../domain/errors.ts'
import { manifestOfUpload } from '../../../domain/finops/upload-names.ts'
import { actorOf, auditLog } from '../../../store/audit/audit-log.ts'
import { billingUploads } from '../../../store/finops/billing-uploads.ts'
import { idempotencyKeys } from '../../../store/requests/idempotency-keys.ts'
import type { Deps } from '../../deps.ts'
import type { BegunIngest } from '../ingests/answer-ingest.ts'
import type { IngestBody } from '../ingests/schemas.ts'
import { abandonUpload, type ReceivedUpload } from './receive-upload.ts'

/** What an Idempotency-Key leads to. */
type HandedOver = BegunIngest & { uploadId: number }

/**
 * Hands a received upload to an ingest. A key that was sent before leads to the upload and the ingest of
 * that time: what was received again is deleted.
 */
export async function uploadBill(
  deps: Pick<Deps, 'store'> & Parameters<typeof abandonUpload>[0],
  caller: Caller,
  { upload, key }: { upload: ReceivedUpload; key: string | undefined },
): Promise<HandedOver> {
  const { uploadId, sourceId, source, digest } = upload
  try {
    const { response, isFirst } = await deps.store.tenant(caller.organizationId, async (tenant) => {
      const keys = idempotencyKeys(tenant)
      const who = `user:${caller.userId}`
      const first = key === undefined ? undefined : await keys.take(who, key, digest)
      // Written below and by ingestAfterWait, in this shape.
      if (first) return { response: first.response as HandedOver, isFirst: false }
      if (!(await billingUploads(tenant).complete(uploadId)))
        throw new AppError('conflict', 'The upload was given up.', { code: 'upload_gone' })
      const started = await startIngest(tenant, { trigger: 'upload' })
      await auditLog(tenant, actorOf(caller)).record('finops.bill_uploaded', {
        target: { kind: 'billing_source', id: sourceId, label: source },
        detail: { uploadId, ingestId: started.ingestId },
      })
      const response = { ingestId: started.ingestId, uploadId }
      if (key !== undefined) await keys.answer(who, key, { status: 202, response })
      return { response, isFirst: true }
    })
    if (!isFirst) await abandonUpload(deps, caller, uploadId)
    return response
  } catch (error) {
    await abandonUpload(deps, caller, uploadId)
    throw error
  }
}

/**
 * What was refused of an upload, as an error of the request; undefined if nothing of it was. An ingest can
 * have read other uploads of the same source, which are not the caller's.
 */
export function refusalOfUpload(ingest: IngestBody, uploadId: number): AppError | undefined {
  const own = manifestOfUpload(uploadId)
  const refused = ingest.accounts
    .filter(({ source }) => source !== null)
    .flatMap(({ slices }) => slices)
    .filter(({ state, manifest }) => state === 'refused' && manifest === own)
  const [first] = refused
  if (!first) return undefined
  const details = refused
    .flatMap(({ errors }) => errors)
    .slice(0, maxDetails)
    .map(({ file, row, column, message }): ErrorDetail => {
      const place = [column, row === null ? null : `row ${row}`].filter((part) => part !== null)
      return { path: file, message: [...place, message].join(': ') }
    })
  return new AppError('invalid', first.reason ?? 'The bill cannot be read.', {
    code: 'bill_refused',
    ...(details.length > 0 && { details }),
  })
}

const maxDetails = 10
