import { createHash } from 'node:crypto'
import { billingSources } from '../../../store/finops/billing-sources.ts'
import { billingUploads, placeOfChunks } from '../../../store/finops/billing-uploads.ts'
import type { Harness } from '../create-harness.ts'

/** An upload of one CSV file that waits for an ingest, without the API. */
export async function waitingUpload(
  { deps: { store, keyring } }: Harness,
  organizationId: number,
  { source, content }: { source: string; content: string },
): Promise<{ sourceId: number; uploadId: number }> {
  const bytes = Buffer.from(content)
  const sealed = keyring.seal(placeOfChunks(organizationId), bytes)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return store.tenant(organizationId, async (tenant) => {
    const uploads = billingUploads(tenant)
    const { id: sourceId } = await billingSources(tenant).ensureNamed(source)
    const uploadId = await uploads.begin({ sourceId, createdBy: null })
    const fileId = await uploads.addFile(uploadId, 'bill.csv')
    await uploads.addChunk(uploadId, { fileId, number: 0, sealed })
    await uploads.endFile(fileId, { bytes: bytes.length, sha256 })
    await uploads.complete(uploadId)
    return { sourceId, uploadId }
  })
}
