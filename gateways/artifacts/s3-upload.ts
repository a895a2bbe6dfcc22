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
  // Used again and again: new ones would leave some 80 MB to the collector for 2 GB.
  const free: Buffer[] = []
  const send = async (whole: Buffer, length: number) => {
    const PartNumber = parts.length + 1
    const part: Part = { ETag: undefined, PartNumber }
    parts.push(part)
    const command = new UploadPartCommand({
      ...upload,
      PartNumber,
      Body: whole.subarray(0, length),
    })
    part.ETag = (await client.send(command)).ETag
    free.push(whole)
  }
  const flush = async (whole: Buffer, length: number): Promise<Buffer> => {
    while (sending.size >= partsAtOnce) await Promise.race(sending)
    const one = send(whole, length)
    sending.add(one)
    // A failure is told by the race above or at the end; until then nobody would handle it.
    one.then(() => sending.delete(one)).catch(() => undefined)
    return free.pop() ?? Buffer.allocUnsafeSlow(partBytes)
  }
  let filling: Buffer = Buffer.allocUnsafeSlow(partBytes)
  let filled = 0
  for await (const chunk of bytes) {
    hash.update(chunk)
    sizeBytes += chunk.length
    for (let at = 0; at < chunk.length;) {
      const copied = chunk.copy(filling, filled, at)
      at += copied
      filled += copied
      if (filled < partBytes) continue
      filling = await flush(filling, filled)
      filled = 0
    }
  }
  if (filled > 0 || parts.length === 0) await flush(filling, filled)
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
