import { createHash } from 'node:crypto'
import { conflict, unavailable } from '../../domain/errors.ts'

const damaged = () =>
  unavailable('artifact_damaged', 'The stored artifact has other bytes than its digest says.')

/**
 * The same bytes, compared with their digest. The last piece is held back until they are: a reader that is
 * told the size gets an answer that is cut off, and none that looks whole.
 */
export async function* checkBytes(
  bytes: AsyncIterable<Buffer>,
  digest: string,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  let held: Buffer | undefined
  for await (const chunk of bytes) {
    hash.update(chunk)
    if (held) yield held
    held = chunk
  }
  if (`sha256:${hash.digest('hex')}` !== digest) throw damaged()
  if (held) yield held
}

export function assertFits(sizeBytes: number, maxBytes: number): void {
  if (sizeBytes > maxBytes)
    throw conflict(
      'artifact_too_large',
      `The artifact is larger than ${inWords(maxBytes)}, which is the most that is kept.`,
    )
}

/** Throws past the limit, and when the signal is aborted. */
export async function* limitBytes(
  bytes: AsyncIterable<Buffer>,
  maxBytes: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer> {
  let length = 0
  for await (const chunk of bytes) {
    signal?.throwIfAborted()
    length += chunk.length
    assertFits(length, maxBytes)
    yield chunk
  }
}

const inWords = (bytes: number): string =>
  bytes >= 1024 ** 3 ? `${bytes / 1024 ** 3} GiB` : `${Math.floor(bytes / 1024 ** 2)} MiB`
