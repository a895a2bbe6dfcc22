import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import type { PutOptions, StoredArtifact } from './artifact-store.ts'
import { assertFits } from './check-bytes.ts'

/** One buffer for the whole file: a stream's would leave some 80 MB to the collector for a file of 2 GB. */
const pieceBytes = 1024 ** 2

/** What a file has, from its beginning. Throws past the limit, and when the signal is aborted. */
export async function hashFile(
  file: FileHandle,
  { maxBytes, signal }: { maxBytes: number; signal: PutOptions['signal'] | undefined },
): Promise<StoredArtifact> {
  const hash = createHash('sha256')
  const piece = Buffer.allocUnsafeSlow(pieceBytes)
  let sizeBytes = 0
  for (;;) {
    signal?.throwIfAborted()
    const { bytesRead } = await file.read(piece, 0, pieceBytes, sizeBytes)
    if (bytesRead === 0) return { digest: `sha256:${hash.digest('hex')}`, sizeBytes }
    sizeBytes += bytesRead
    assertFits(sizeBytes, maxBytes)
    hash.update(piece.subarray(0, bytesRead))
  }
}
