import { createHash } from 'node:crypto'
import { constants, createReadStream } from 'node:fs'
import {
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
  type FileHandle,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { AppError, unavailable } from '../../domain/errors.ts'
import {
  keyOfArtifact,
  keyOfProbe,
  type ArtifactStore,
  type ByteRange,
  type PutOptions,
  type StoredArtifact,
} from './artifact-store.ts'
import { checkBytes, limitBytes } from './check-bytes.ts'
import { hashFile } from './hash-file.ts'
import { isOfLiving, partName } from './part-name.ts'
import { createCheckedLately, type CheckedLately } from './checked-lately.ts'

/**
 * Artifacts in a folder: `<organization>/sha256/ab/<digest>`. A file is written beside its place,
 * flushed to the disk and then renamed, so a place holds all of an artifact or nothing, whenever
 * the process is killed.
 */
export function artifactFolder(root: string): ArtifactStore {
  const placeOf = (organizationId: number, digest: string): string =>
    join(root, keyOfArtifact(organizationId, digest))
  const lately = createCheckedLately()
  return {
    put: async (organizationId, bytes, { maxBytes, signal, claim }) =>
      keep({ root, organizationId, claim }, async (part) =>
        write(part, limitBytes(bytes, maxBytes, signal)),
      ),

    async putFile(organizationId, path, { maxBytes, signal, claim }) {
      try {
        return await keep({ root, organizationId, claim }, async (part) => {
          if (await movesTo(path, part)) return seal(part, maxBytes, signal)
          return write(part, limitBytes(createReadStream(path), maxBytes, signal))
        })
      } finally {
        await rm(path, { force: true })
      }
    },

    async read(organizationId, digest, range) {
      const place = placeOf(organizationId, digest)
      let file: FileHandle | undefined
      try {
        file = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW)
        return await readOpened(file, { place, digest, range, lately })
      } catch (error) {
        await file?.close()
        if (codeOf(error) === 'ENOENT') return undefined
        throw asStoreFault(error)
      }
    },

    async remove(organizationId, digest) {
      await rm(placeOf(organizationId, digest), { force: true }).catch(throwStoreFault)
    },

    async writeProbe(name, text) {
      const place = join(root, keyOfProbe(name))
      await mkdir(dirname(place), { recursive: true, mode: 0o700 }).catch(throwStoreFault)
      await writeFile(place, text, { mode: 0o600 }).catch(throwStoreFault)
    },

    async readProbe(name) {
      return readFile(join(root, keyOfProbe(name)), 'utf8').catch((error: unknown) => {
        if (codeOf(error) === 'ENOENT') return undefined
        throw asStoreFault(error)
      })
    },

    async removeProbe(name) {
      await rm(join(root, keyOfProbe(name)), { force: true }).catch(throwStoreFault)
    },

    removeParts: async () => removeParts(root),
  }
}

type Keeping = { root: string; organizationId: number; claim: PutOptions['claim'] }

/** `fill` makes a file beside the places, which then gets the place of its digest. */
async function keep(
  { root, organizationId, claim }: Keeping,
  fill: (part: string) => Promise<StoredArtifact>,
): Promise<StoredArtifact> {
  const part = join(root, 'parts', await partName())
  try {
    await mkdir(dirname(part), { recursive: true, mode: 0o700 })
    const stored = await fill(part)
    await claim?.(stored.digest)
    await settle(part, join(root, keyOfArtifact(organizationId, stored.digest)))
    return stored
  } catch (error) {
    throw asStoreFault(error)
  } finally {
    // Where this fails, the fault above is told; a task of the worker removes what is left.
    await rm(part, { force: true }).catch(() => undefined)
  }
}

const pieceBytes = 64 * 1024

type Asked = {
  place: string
  digest: string
  range: ByteRange | undefined
  lately: CheckedLately
}

/** Reads by the file that was opened: one of that name may be put in its place meanwhile. */
async function readOpened(
  file: FileHandle,
  { place, digest, range, lately }: Asked,
): Promise<{ sizeBytes: number; stream: Readable }> {
  const info = await file.stat({ bigint: true })
  const identity = [info.dev, info.ino, info.size, info.mtimeNs, info.ctimeNs].join(' ')
  const sizeBytes = Number(info.size)
  if (!range) {
    const whole = file.createReadStream({ start: 0, highWaterMark: pieceBytes })
    const stream = Readable.from(checkBytes(whole, digest), { objectMode: false })
    // A generator that was never begun ends without closing what it reads.
    stream.once('close', () => whole.destroy())
    return { sizeBytes, stream }
  }
  await lately.once(place, identity, async () => {
    const whole = file.createReadStream({ start: 0, highWaterMark: pieceBytes, autoClose: false })
    for await (const _ of checkBytes(whole, digest));
  })
  const { first: start, last: end } = range
  return { sizeBytes, stream: file.createReadStream({ start, end, highWaterMark: pieceBytes }) }
}

/**
 * Removes what processes that were killed left half written. A process of another machine may write to the
 * folder too, so what is young stays: no build takes so long.
 */
async function removeParts(root: string): Promise<number> {
  const parts = join(root, 'parts')
  const names = await readdir(parts).catch((): string[] => [])
  const removed = await Promise.all(
    names.map(async (name) => {
      const path = join(parts, name)
      const changedAt = (await stat(path).catch(() => undefined))?.mtimeMs
      if (changedAt === undefined || Date.now() - changedAt < partHours * 3_600_000) return 0
      if (await isOfLiving(name)) return 0
      await rm(path, { force: true })
      return 1
    }),
  )
  return removed.reduce<number>((sum, one) => sum + one, 0)
}

const partHours = 6

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

/** False where the file is on another disk. */
async function movesTo(path: string, part: string): Promise<boolean> {
  try {
    await rename(path, part)
    return true
  } catch (error) {
    if (codeOf(error) === 'EXDEV') return false
    throw error
  }
}

/** Reads a file that is not written to any more while it is flushed to the disk. */
async function seal(
  path: string,
  maxBytes: number,
  signal: AbortSignal | undefined,
): Promise<StoredArtifact> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    await file.chmod(0o400)
    const flushed = file.sync()
    // It is awaited once the file was read; until then nobody would handle it.
    flushed.catch(() => undefined)
    const stored = await hashFile(file, { maxBytes, signal })
    await flushed
    return stored
  } finally {
    await file.close()
  }
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

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined

const throwStoreFault = (error: unknown): never => {
  throw asStoreFault(error)
}

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
