import { manifestOfUpload } from '../../domain/finops/upload-names.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { refusedSlices } from '../../store/finops/refused-slices.ts'
import { putBackUpload, takenUploads } from '../../store/finops/taken-uploads.ts'

/**
 * Refuses what an ingest, or one source in it, leaves behind: slices that are still being read, whose charges nothing
 * would delete otherwise, and uploads that it took. None of those was found to be unreadable, so they wait for the
 * next ingest. Idempotent.
 */
export async function refuseLeft(
  tenant: Tenant,
  { reason, ...at }: { ingestId: number; sourceId?: number; reason: string },
): Promise<void> {
  const slices = refusedSlices(tenant)
  const uploads = takenUploads(tenant)
  for (const { id, sourceId } of await uploads.hold(at)) {
    const upload = { ingestId: at.ingestId, sourceId, manifest: manifestOfUpload(id), files: 0 }
    await slices.refuseUpload(upload, reason)
    await putBackUpload(tenant, id, at.ingestId)
  }
  await slices.refuseReading(at, reason)
}
