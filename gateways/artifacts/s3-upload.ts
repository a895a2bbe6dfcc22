import { createHash } from 'node:crypto'
import type { S3Client } from '@aws-sdk/client-s3'
import type { ArtifactDigest, StoredArtifact } from './artifact-store.ts'
import type { Bucket } from './s3-client.ts'

/** S3 takes at least 5 MiB, but for the last part. */
const partBytes = 8 * 1024 ** 2
/** Parts that are sent at the same time. One more is being filled. */
const partsAtOnce = 3
const oldHours = 6

/**
 * Uploads a stream in parts, and says what it was. What was begun and failed is aborted. `check` is asked once all
 * parts are sent and before the key has them.
 */
export async function uploadInParts(
  { name: Bucket, opened }: Bucket,
  {
    key: Key,
    bytes,
    check,
  }: {
    key: string
    bytes: AsyncIterable<Buffer>
    check?: (digest: ArtifactDigest) => Promise<void>
  },
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
    await check?.(stored.digest)
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
  const sending = new Set<Promise<void>>()
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
    while (sending.size >= partsAtOnce) await Promise.race(sending)
    const one = send(body)
    sending.add(one)
    // A failure is told by the race above or at the end; until then nobody would handle it.
    one.then(() => sending.delete(one)).catch(() => undefined)
  }
  for await (const chunk of bytes) {
    hash.update(chunk)
    sizeBytes += chunk.length
    filled.push(chunk)
    filledBytes += chunk.length
    if (filledBytes >= partBytes) await flush()
  }
  if (filledBytes > 0 || parts.length === 0) await flush()
  await Promise.all(sending)
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
  /** The bucket may be shared with others, whose uploads are theirs. */
  const isOurs = (key: string) =>
    key.startsWith(keyOf('')) && /^(?:parts\/|\d+\/sha256\/)/.test(key.slice(keyOf('').length))
  let removed = 0
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket, Prefix }))
  for (const { Key, LastModified } of Contents)
    if (Key !== undefined && isOld(LastModified)) {
      await client.send(new DeleteObjectCommand({ Bucket, Key }))
      removed += 1
    }
  const { Uploads = [] } = await client.send(
    new ListMultipartUploadsCommand({ Bucket, Prefix: keyOf('') }),
  )
  for (const { Key, UploadId, Initiated } of Uploads)
    if (Key !== undefined && UploadId !== undefined && isOld(Initiated) && isOurs(Key)) {
      await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }))
      removed += 1
    }
  return removed
}
