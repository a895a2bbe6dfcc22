import { manifestOfUpload } from '../../domain/finops/upload-names.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { putBackUpload, takenUploads } from '../../store/finops/taken-uploads.ts'
import { refusedSlices } from '../../store/finops/refused-slices.ts'
import { blamesFiles, reasonOfFailure } from './reason-of-failure.ts'

type Ended = {
  ingestId: number
  sourceId: number
  sliceId?: number
  uploadId?: number
  failure: string | null
}

/**
 * Ends one bill. What is not read by now is refused with the reason, and the old numbers stay: of an upload
 * each month that was begun. An upload that a fault of ours kept from being read waits for the next ingest: its bytes
 * are nowhere else. Idempotent: only a slice that is being read is changed.
 */
export async function endBill(
  tenant: Tenant,
  { ingestId, sourceId, sliceId, uploadId, failure }: Ended,
): Promise<void> {
  if (failure !== null) {
    const reason = reasonOfFailure(failure)
    const slices = refusedSlices(tenant)
    if (sliceId !== undefined)
      await slices.refuseReading({ ingestId, sourceId, sliceId }, reason, {
        contentRefused: failure === 'bill_refused',
      })
    else if (uploadId !== undefined)
      await slices.refuseUpload(
        { ingestId, sourceId, manifest: manifestOfUpload(uploadId), files: 0 },
        reason,
      )
  }
  if (uploadId === undefined) return
  if (failure === null || blamesFiles(failure)) await takenUploads(tenant).end(uploadId, ingestId)
  else await putBackUpload(tenant, uploadId, ingestId)
}
