import { createHash } from 'node:crypto'
import { createReadStream, mkdirSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdDecompress } from 'node:zlib'
import { freeBuffers } from '../disk/free-buffers.ts'
import { refuseRelease, Refusal } from '../faults.ts'
import { placeEntries, unpackLimits, type UnpackLimits } from './place-entries.ts'
import { tarReader } from './read-tar.ts'

/** Pieces of a quarter take twice as long (docs/decisions/0187-memory-and-flushes-of-the-agent.md). */
const readBytes = 512 * 1024
const writeBytes = 1024 * 1024
/** The window of `zstd -3` has 2 MiB. A frame may ask for 128 MiB of memory. */
const maxWindowLog = 23
/** Headers and padding of the archive, beside what its files have. */
const overheadBytes = 512 * 1024 ** 2

/**
 * Unpacks a verified artifact into a folder that it makes. Returns the SHA-256 of the archive inside, as
 * `sha256:…`. On a fault the folder is left as it is, and the caller removes it.
 */
export async function unpackArchive(
  archive: string,
  folder: string,
  { signal, limits = unpackLimits }: { signal: AbortSignal; limits?: UnpackLimits },
): Promise<{ contentDigest: string; entries: number; bytes: number }> {
  mkdirSync(folder, { mode: 0o755 })
  const hash = createHash('sha256')
  const entries = placeEntries(folder, limits)
  const tar = tarReader(entries)
  let bytes = 0
  try {
    await pipeline(
      createReadStream(archive, { highWaterMark: readBytes }),
      createZstdDecompress({
        chunkSize: writeBytes,
        params: { [constants.ZSTD_d_windowLogMax]: maxWindowLog },
      }),
      async (pieces: AsyncIterable<Buffer>) => {
        for await (const piece of pieces) {
          bytes += piece.length
          if (bytes > limits.bytes + overheadBytes)
            throw refuseRelease('archive_refused', 'it is larger than its files can be')
          hash.update(piece)
          tar.write(piece)
          freeBuffers(piece.length)
        }
      },
      { signal },
    )
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof Refusal) throw error
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (code.startsWith('ZSTD_') || code === 'Z_BUF_ERROR')
      throw refuseRelease('archive_refused', 'it is no zstd archive, or needs too much memory')
    throw error
  } finally {
    entries.close()
  }
  tar.end()
  return { contentDigest: `sha256:${hash.digest('hex')}`, ...entries.finish() }
}
