import { createHash } from 'node:crypto'
import type { S3Client } from '@aws-sdk/client-s3'
import type { StoredArtifact } from './artifact-store.ts'
import type { Bucket } from './s3-client.ts'

/** S3 takes at least 5 MiB, but for the last part. Two of these are in memory: one is filled, one is sent. */
const partBytes = 8 * 1024 ** 2
const oldHours = 6

/** Uploads a stream in parts, and says what it was. What was begun and failed is aborted. */
export async function uploadInParts(
  { name: Bucket, opened }: Bucket,
  Key: string,
  bytes: AsyncIterable<Buffer>,
): Promise<StoredArtifact> {
  const {
    AbortMultipartUploadCommand,
    CompleteMultipartUploadCommand,
    CreateMultipartUploadCommand,
  } = await import('@aws-sdk/client-s3')
  const client = await opened()
  const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }))
  try {
    const { parts, ...stored } = await sendParts(client, { Bucket, Key, UploadId }, bytes)
    const MultipartUpload = { Parts: parts }
    await client.send(
      new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload }),
    )
    return stored
  } catch (error) {
    await client
      .send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }))
      .catch(() => undefined)
    throw error
  }
}

type Part = { ETag: string | undefined; PartNumber: number }
type Upload = { Bucket: string; Key: string; UploadId: string | undefined }

async function sendParts(
  client: S3Client,
  upload: Upload,
  bytes: AsyncIterable<Buffer>,
): Promise<StoredArtifact & { parts: Part[] }> {
  const { UploadPartCommand } = await import('@aws-sdk/client-s3')
  const hash = createHash('sha256')
  const parts: Part[] = []
  let sizeBytes = 0
  let sending: Promise<void> = Promise.resolve()
  const send = async (Body: Buffer) => {
    const PartNumber = parts.length + 1
    const part: Part = { ETag: undefined, PartNumber }
    parts.push(part)
    part.ETag = (await client.send(new UploadPartCommand({ ...upload, PartNumber, Body }))).ETag
  }
  let filled: Buffer[] = []
  let filledBytes = 0
  const flush = async () => {
    const body = Buffer.concat(filled)
    filled = []
    filledBytes = 0
    await sending
    sending = send(body)
    // It is awaited before the next part; until then nobody would handle it.
    sending.catch(() => undefined)
  }
  for await (const chunk of bytes) {
    hash.update(chunk)
    sizeBytes += chunk.length
    filled.push(chunk)
    filledBytes += chunk.length
    if (filledBytes >= partBytes) await flush()
  }
  if (filledBytes > 0 || parts.length === 0) await flush()
  await sending
  return { digest: `sha256:${hash.digest('hex')}`, sizeBytes, parts }
}

/** Removes what uploads of processes that were killed left. Young ones may be under way elsewhere. */
export async function removeOldUploads({ name: Bucket, opened, keyOf }: Bucket): Promise<number> {
  const {
    AbortMultipartUploadCommand,
    DeleteObjectCommand,
    ListMultipartUploadsCommand,
    ListObjectsV2Command,
  } = await import('@aws-sdk/client-s3')
  const client = await opened()
  const Prefix = keyOf('parts/')
  const isOld = (at: Date | undefined) =>
    at !== undefined && Date.now() - at.getTime() > oldHours * 3_600_000
  let removed = 0
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket, Prefix }))
  for (const { Key, LastModified } of Contents)
    if (Key !== undefined && isOld(LastModified)) {
      await client.send(new DeleteObjectCommand({ Bucket, Key }))
      removed += 1
    }
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix }))
  for (const { Key, UploadId, Initiated } of Uploads)
    if (Key !== undefined && UploadId !== undefined && isOld(Initiated)) {
      await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }))
      removed += 1
    }
  return removed
}
