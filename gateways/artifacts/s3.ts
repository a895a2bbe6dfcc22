import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { S3Client } from '@aws-sdk/client-s3'
import { unavailable } from '../../domain/errors.ts'
import type { Outbound } from '../outbound/outbound.ts'
import {
  keyOfArtifact,
  keyOfProbe,
  type ArtifactStore,
  type ByteRange,
  type PutOptions,
  type StoredArtifact,
} from './artifact-store.ts'
import { checkBytes, limitBytes } from './check-bytes.ts'
import { createCheckedLately } from './checked-lately.ts'
import { hashFile } from './hash-file.ts'
import {
  bucketFault,
  isMissing,
  openS3Client,
  type Bucket,
  type BucketConfig,
} from './s3-client.ts'
import { removeOldUploads, uploadInParts } from './s3-upload.ts'

/**
 * Artifacts in a bucket: `<prefix>/<organization>/sha256/ab/<digest>`. Bytes are uploaded below `parts/`
 * first, since their digest is known at their end, and the bucket copies them to their place. So a place
 * holds all of an artifact or nothing.
 */
export function artifactBucket(config: BucketConfig, outbound: Outbound): ArtifactStore {
  let client: Promise<S3Client> | undefined
  const bucket: Bucket = {
    name: config.bucket,
    opened: async () => (client ??= openS3Client(config, outbound)),
    keyOf: (key) => (config.prefix === '' ? key : `${config.prefix}/${key}`),
    lately: createCheckedLately(),
  }
  return {
    put: async (organizationId, bytes, options) =>
      guarded(async () => put(bucket, { organizationId, bytes, ...options })),
    async putFile(organizationId, path, options) {
      try {
        return await guarded(async () => putFile(bucket, { organizationId, path, ...options }))
      } finally {
        await rm(path, { force: true })
      }
    },
    async read(organizationId, digest, range) {
      const key = bucket.keyOf(keyOfArtifact(organizationId, digest))
      return guarded(async () => read(bucket, { key, digest, range })).catch(missingIsUndefined)
    },
    async remove(organizationId, digest) {
      await guarded(async () => removeKey(bucket, keyOfArtifact(organizationId, digest)))
    },
    async writeProbe(name, text) {
      const { PutObjectCommand } = await import('@aws-sdk/client-s3')
      const Key = bucket.keyOf(keyOfProbe(name))
      const command = new PutObjectCommand({ Bucket: bucket.name, Key, Body: Buffer.from(text) })
      await guarded(async () => (await bucket.opened()).send(command))
    },
    async readProbe(name) {
      const found = await guarded(async () =>
        getObject(bucket, { key: bucket.keyOf(keyOfProbe(name)) }),
      ).catch(missingIsUndefined)
      if (!found) return undefined
      let text = ''
      for await (const chunk of found.body) text = `${text}${chunk.toString()}`.slice(0, 1_000)
      return text
    },
    async removeProbe(name) {
      await guarded(async () => removeKey(bucket, keyOfProbe(name)))
    },
    removeParts: async () => guarded(async () => removeOldUploads(bucket)),
  }
}

/** The most that a bucket copies in one request is 5 GiB, and more than an artifact has. */
async function put(
  bucket: Bucket,
  put: PutOptions & { organizationId: number; bytes: AsyncIterable<Buffer> },
): Promise<StoredArtifact> {
  const part = bucket.keyOf(`parts/${randomBytes(16).toString('hex')}`)
  try {
    const bytes = limitBytes(put.bytes, put.maxBytes, put.signal)
    const stored = await uploadInParts(bucket, { key: part, bytes })
    await put.claim?.(stored.digest)
    const { CopyObjectCommand } = await import('@aws-sdk/client-s3')
    const command = new CopyObjectCommand({
      Bucket: bucket.name,
      Key: bucket.keyOf(keyOfArtifact(put.organizationId, stored.digest)),
      CopySource: `${bucket.name}/${part.split('/').map(encodeURIComponent).join('/')}`,
    })
    await (await bucket.opened()).send(command)
    return stored
  } finally {
    // Where this fails, a later start of a worker removes what is left.
    await removeAt(bucket, part).catch(() => undefined)
  }
}

/** A file's digest is known before it is uploaded, so it gets its place at once, by the end of the upload. */
async function putFile(
  bucket: Bucket,
  {
    organizationId,
    path,
    maxBytes,
    signal,
    claim,
  }: PutOptions & { organizationId: number; path: string },
): Promise<StoredArtifact> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const { digest } = await hashFile(file, { maxBytes, signal })
    const bytes = file.createReadStream({ start: 0, highWaterMark: readBytes, autoClose: false })
    return await uploadInParts(bucket, {
      key: bucket.keyOf(keyOfArtifact(organizationId, digest)),
      bytes: limitBytes(bytes, maxBytes, signal),
      async check(sent) {
        if (sent !== digest)
          throw unavailable('artifact_damaged', 'The artifact was written to while it was kept.')
        await claim?.(digest)
      },
    })
  } finally {
    await file.close()
  }
}

const readBytes = 1024 ** 2

type Asked = { key: string; digest: string; range: ByteRange | undefined }

async function read(
  bucket: Bucket,
  { key, digest, range }: Asked,
): Promise<{ sizeBytes: number; stream: Readable }> {
  if (!range) {
    const { body, sizeBytes } = await getObject(bucket, { key })
    return { sizeBytes, stream: streamOf(checkBytes(body, digest), body) }
  }
  const { HeadObjectCommand } = await import('@aws-sdk/client-s3')
  const head = new HeadObjectCommand({ Bucket: bucket.name, Key: key })
  const { ETag = '', LastModified, ContentLength = 0 } = await (await bucket.opened()).send(head)
  const identity = [ETag, LastModified?.getTime(), ContentLength].join(' ')
  await bucket.lately.once(key, identity, async () => {
    const { body } = await getObject(bucket, { key, etag: ETag })
    for await (const _ of checkBytes(body, digest));
  })
  const { body } = await getObject(bucket, { key, etag: ETag, range })
  return { sizeBytes: ContentLength, stream: streamOf(body, body) }
}

async function getObject(
  { name, opened }: Bucket,
  { key, etag, range }: { key: string; etag?: string; range?: ByteRange },
): Promise<{ body: Readable; sizeBytes: number }> {
  const { GetObjectCommand } = await import('@aws-sdk/client-s3')
  const command = new GetObjectCommand({
    Bucket: name,
    Key: key,
    ...(etag && { IfMatch: etag }),
    ...(range && { Range: `bytes=${range.first}-${range.last}` }),
  })
  const { Body, ContentLength = 0 } = await (await opened()).send(command)
  // In Node, the SDK's body is the stream of its handler.
  return { body: Body as unknown as Readable, sizeBytes: ContentLength }
}

function streamOf(bytes: AsyncIterable<Buffer>, body: Readable): Readable {
  const stream = Readable.from(bytes, { objectMode: false })
  // A generator that was never begun ends without closing what it reads.
  stream.once('close', () => body.destroy())
  return stream
}

const removeKey = async (bucket: Bucket, key: string) => removeAt(bucket, bucket.keyOf(key))

/** Below the 2 minutes after which the same bytes may be stored anew (store/runs/artifact-blobs.ts), retries included. */
const removalMs = 60_000

async function removeAt({ name, opened }: Bucket, key: string): Promise<void> {
  const { DeleteObjectCommand } = await import('@aws-sdk/client-s3')
  const client = await opened()
  const abortSignal = AbortSignal.timeout(removalMs)
  const command = new DeleteObjectCommand({ Bucket: name, Key: key })
  await client.send(command, { abortSignal }).catch((error: unknown) => {
    if (isMissing(error)) return
    // By its name alone it would be an end that the caller asked for.
    throw abortSignal.aborted ? bucketFault(error) : error
  })
}

async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw isMissing(error) || isOfCaller(error) ? error : bucketFault(error)
  }
}

/** What the stream or the claim of a `put` threw. The SDK's own errors and those of sockets are not of it. */
const isOfCaller = (error: unknown): boolean =>
  error instanceof Error && !('$metadata' in error) && error.name !== 'TimeoutError'

function missingIsUndefined(error: unknown): undefined {
  if (!isMissing(error)) throw error
  return undefined
}
