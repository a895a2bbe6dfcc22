import { createHash, randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { AppError, conflict, invalid, unavailable } from '../../domain/errors.ts'
import type { ArtifactStore, StoredArtifact } from './artifact-store.ts'

/**
 * Artifacts in a folder: `<organization>/sha256/ab/<digest>`. A file is written beside its place,
 * flushed to the disk and then renamed, so a place holds all of an artifact or nothing, whenever
 * the process is killed.
 */
export function artifactFolder(root: string): ArtifactStore {
  const placeOf = (organizationId: number, digest: string): string => {
    const [, hex = ''] = /^sha256:([0-9a-f]{64})$/.exec(digest) ?? []
    // Both become a path.
    if (hex === '' || !Number.isSafeInteger(organizationId))
      throw invalid('This is no digest of an artifact.')
    return join(root, String(organizationId), 'sha256', hex.slice(0, 2), hex)
  }

  return {
    async put(organizationId, bytes, { maxBytes, signal }) {
      const part = join(root, 'parts', `${process.pid}-${randomBytes(12).toString('hex')}`)
      try {
        await mkdir(dirname(part), { recursive: true, mode: 0o700 })
        const stored = await write(part, limited(bytes, maxBytes, signal))
        await settle(part, placeOf(organizationId, stored.digest))
        return stored
      } catch (error) {
        throw asStoreFault(error)
      } finally {
        // Where this fails, the fault above is told; the next start removes what is left.
        await rm(part, { force: true }).catch(() => undefined)
      }
    },

    async read(organizationId, digest) {
      const place = placeOf(organizationId, digest)
      try {
        const file = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW)
        const { size } = await file.stat()
        return { sizeBytes: size, stream: Readable.from(checked(file.createReadStream(), digest)) }
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return undefined
        throw asStoreFault(error)
      }
    },

    async remove(organizationId, digest) {
      await rm(placeOf(organizationId, digest), { force: true })
    },
  }
}

/**
 * Removes what processes that were killed left half written. A process of another machine may write to the
 * folder too, so what is young stays: no build takes so long.
 */
export async function removeParts(root: string): Promise<number> {
  const parts = join(root, 'parts')
  const names = await readdir(parts).catch((): string[] => [])
  const removed = await Promise.all(
    names.map(async (name) => {
      const path = join(parts, name)
      const changedAt = (await stat(path).catch(() => undefined))?.mtimeMs
      if (changedAt === undefined || Date.now() - changedAt < partHours * 3_600_000) return 0
      if (isAlive(parseInt(name, 10))) return 0
      await rm(path, { force: true })
      return 1
    }),
  )
  return removed.reduce<number>((sum, one) => sum + one, 0)
}

const partHours = 6

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

async function write(path: string, bytes: AsyncIterable<Buffer>): Promise<StoredArtifact> {
  const file = await open(path, 'wx', 0o400)
  const hash = createHash('sha256')
  let sizeBytes = 0
  try {
    for await (const chunk of bytes) {
      hash.update(chunk)
      for (let at = 0; at < chunk.length;) at += (await file.write(chunk, at)).bytesWritten
      sizeBytes += chunk.length
    }
    await file.sync()
  } finally {
    await file.close()
  }
  return { digest: `sha256:${hash.digest('hex')}`, sizeBytes }
}

/** Gives the file its place, at once. What is there has the same bytes, or is damaged and is replaced. */
async function settle(part: string, place: string): Promise<void> {
  await mkdir(dirname(place), { recursive: true, mode: 0o700 })
  await rename(part, place)
  await flushFolder(dirname(place))
}

/** So that the name survives a loss of power, as the file does. */
async function flushFolder(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function* limited(
  bytes: AsyncIterable<Buffer>,
  maxBytes: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer> {
  let length = 0
  for await (const chunk of bytes) {
    signal?.throwIfAborted()
    length += chunk.length
    if (length > maxBytes)
      throw conflict(
        'artifact_too_large',
        `The artifact is larger than ${inWords(maxBytes)}, which is the most that is kept.`,
      )
    yield chunk
  }
}

const inWords = (bytes: number): string =>
  bytes >= 1024 ** 3 ? `${bytes / 1024 ** 3} GiB` : `${Math.floor(bytes / 1024 ** 2)} MiB`

async function* checked(bytes: AsyncIterable<Buffer>, digest: string): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  for await (const chunk of bytes) {
    hash.update(chunk)
    yield chunk
  }
  if (`sha256:${hash.digest('hex')}` !== digest)
    throw unavailable(
      'artifact_damaged',
      'The stored artifact has other bytes than its digest says.',
    )
}

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined

function asStoreFault(error: unknown): unknown {
  if (error instanceof AppError) return error
  const code = codeOf(error) ?? ''
  if (['ENOSPC', 'EDQUOT', 'EFBIG'].includes(code))
    return unavailable('artifact_store_full', 'The disk of the artifact store is full.', error)
  if (
    ['EACCES', 'EPERM', 'EROFS', 'EIO', 'ENOENT', 'ENOTDIR', 'EEXIST', 'ESTALE', 'ELOOP'].includes(
      code,
    )
  )
    return unavailable('artifact_store_unavailable', 'The artifact store cannot be used.', error)
  return error
}
