import { tooLarge, unreadable } from './bounds.ts'

/**
 * Decompresses at most `limit` bytes. A file of kilobytes can hold gigabytes, so it stops there, and the page
 * stays alive.
 */
export async function inflate(
  bytes: Uint8Array<ArrayBuffer>,
  format: 'gzip' | 'deflate-raw',
  limit: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(format))
  const reader = stream.getReader()
  const pieces: Uint8Array[] = []
  let size = 0
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw unreadable()
    })
    if (done) break
    size += value.length
    if (size > limit) {
      await reader.cancel()
      throw tooLarge()
    }
    pieces.push(value)
  }
  const whole = new Uint8Array(size)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
