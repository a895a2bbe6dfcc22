import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  CreateBucketCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { expect, test } from 'vitest'
import { Secret } from '../../../config.ts'
import type { ArtifactStore, PutOptions } from '../../../gateways/artifacts/artifact-store.ts'
import { openArtifactStore } from '../../../gateways/artifacts/open-artifact-store.ts'

export type BucketPeer = { endpoint: string; accessKeyId: string; secretAccessKey: string }

/** The store over a bucket of a peer, and a client of the peer's own for what a test does behind its back. */
async function bucketStore(peer: BucketPeer, prefix = 'kept/artifacts') {
  const bucket = `b-${randomBytes(6).toString('hex')}`
  const { endpoint, accessKeyId, secretAccessKey } = peer
  const client = new S3Client({
    region: 'us-east-1',
    endpoint,
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
  })
  await client.send(new CreateBucketCommand({ Bucket: bucket }))
  const open = (secret = secretAccessKey): ArtifactStore =>
    openArtifactStore({
      extraCaFile: undefined,
      artifactStore: {
        kind: 's3',
        bucket,
        prefix,
        region: 'us-east-1',
        endpoint,
        key: new Secret(`${accessKeyId}:${secret}`),
      },
    })
  return { store: open(), open, bucket, client, prefix }
}

const readAll = async (store: ArtifactStore, ...asked: Parameters<ArtifactStore['read']>) => {
  const found = await store.read(...asked)
  if (!found) return undefined
  const chunks: Buffer[] = []
  for await (const chunk of found.stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

async function* inPieces(bytes: Buffer) {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
}

/** What every bucket must do. */
export function bucketTests(peer: () => BucketPeer): void {
  const maxBytes = 64 * 1024 ** 2
  const bytes = randomBytes(20 * 1024 ** 2 + 7)
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`
  const keyOf = (prefix: string) => `${prefix}/7/sha256/${digest.slice(7, 9)}/${digest.slice(7)}`

  test('what was put in parts is read, whole and in ranges, of its organization alone', async () => {
    const { store, client, bucket, prefix } = await bucketStore(peer())
    expect(await store.put(7, inPieces(bytes), { maxBytes })).toEqual({
      digest,
      sizeBytes: bytes.length,
    })
    expect((await readAll(store, 7, digest))?.equals(bytes)).toBe(true)
    for (const [first, last] of [
      [0, 0],
      [10_000_000, 10_000_099],
      [bytes.length - 1, bytes.length - 1],
    ] as const) {
      const part = await readAll(store, 7, digest, { first, last })
      expect(part?.equals(bytes.subarray(first, last + 1))).toBe(true)
    }
    expect(await readAll(store, 8, digest)).toBeUndefined()
    const listed = await client.send(new ListObjectsV2Command({ Bucket: bucket }))
    expect(listed.Contents?.map(({ Key }) => Key)).toEqual([keyOf(prefix)])
    await store.remove(7, digest)
    await store.remove(7, digest)
    expect(await readAll(store, 7, digest)).toBeUndefined()
    const empty = await store.put(7, inPieces(Buffer.alloc(0)), { maxBytes })
    expect(empty.sizeBytes).toBe(0)
  })

  test('a file is kept under its digest and is gone; one too long, ended or not claimed leaves nothing', async () => {
    const { store, client, bucket, prefix } = await bucketStore(peer())
    const folder = mkdtempSync(join(tmpdir(), 'artifact-file-'))
    const path = join(folder, 'artifact')
    const kept = async () => {
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }))
      const { Uploads = [] } = await client.send(
        new ListMultipartUploadsCommand({ Bucket: bucket }),
      )
      return [...Contents, ...Uploads].map(({ Key }) => Key)
    }
    const refused = async (options: Partial<PutOptions>, words: string) => {
      writeFileSync(path, bytes)
      await expect(store.putFile(7, path, { maxBytes, ...options })).rejects.toThrow(words)
      expect(existsSync(path)).toBe(false)
      expect(await kept()).toEqual([])
    }
    await refused({ maxBytes: 10_000_000 }, 'larger than')
    const claim = async () => {
      throw new Error('being removed')
    }
    await refused({ claim }, 'being removed')
    await refused({ signal: AbortSignal.abort(new Error('canceled')) }, 'canceled')

    writeFileSync(path, bytes)
    const stored = await store.putFile(7, path, { maxBytes })
    expect(stored).toEqual({ digest, sizeBytes: bytes.length })
    expect(existsSync(path)).toBe(false)
    expect(await kept()).toEqual([keyOf(prefix)])
    expect((await readAll(store, 7, digest))?.equals(bytes)).toBe(true)
    rmSync(folder, { recursive: true })
  })

  test('one changed byte ends the whole before its end, and is found before a part', async () => {
    const { store, client, bucket, prefix } = await bucketStore(peer(), '')
    await store.put(7, inPieces(bytes), { maxBytes })
    const changed = Buffer.from(bytes)
    changed[5] = (changed[5] ?? 0) ^ 1
    const Key = keyOf(prefix).replace(/^\//, '')
    await client.send(new GetObjectCommand({ Bucket: bucket, Key }))
    await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: changed }))
    const found = await store.read(7, digest)
    let length = 0
    await expect(
      (async () => {
        for await (const chunk of found?.stream ?? []) length += chunk.length
      })(),
    ).rejects.toMatchObject({ code: 'artifact_damaged' })
    expect(length).toBeLessThan(bytes.length)
    await expect(store.read(7, digest, { first: 100, last: 109 })).rejects.toMatchObject({
      code: 'artifact_damaged',
    })
  })

  test('a stream that fails, is too long or is not claimed leaves nothing', async () => {
    const { store, client, bucket } = await bucketStore(peer())
    const failing = async function* () {
      yield bytes.subarray(0, 9_000_000)
      throw new Error('the build went away')
    }
    await expect(store.put(7, failing(), { maxBytes })).rejects.toThrow('the build went away')
    await expect(store.put(7, inPieces(bytes), { maxBytes: 10_000_000 })).rejects.toMatchObject({
      code: 'artifact_too_large',
    })
    const claim = async () => {
      throw new Error('being removed')
    }
    await expect(store.put(7, inPieces(bytes), { maxBytes, claim })).rejects.toThrow(
      'being removed',
    )
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }))
    expect(Contents).toEqual([])
    expect(await store.removeParts()).toBe(0)
  })

  test('probes; wrong keys are a store that cannot be used, without a word of them', async () => {
    const { store, open } = await bucketStore(peer())
    await store.writeProbe('api-1', 'hello')
    expect(await store.readProbe('api-1')).toBe('hello')
    await store.removeProbe('api-1')
    expect(await store.readProbe('api-1')).toBeUndefined()
    const wrong = open('not-the-secret')
    for (const work of [
      async () => wrong.put(7, inPieces(bytes), { maxBytes }),
      async () => wrong.read(7, digest),
      async () => wrong.remove(7, digest),
      async () => wrong.writeProbe('api-1', 'x'),
    ])
      await expect(work()).rejects.toMatchObject({
        fault: 'unavailable',
        code: 'artifact_store_unavailable',
        message: 'The artifact store cannot be used.',
      })
  })
}
