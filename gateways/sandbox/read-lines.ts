import type { Readable } from 'node:stream'

/**
 * Calls `onLine` for each line and awaits it, so that a slow reader slows the program instead of filling the
 * worker's memory. Lines above the limit are cut and marked.
 */
export async function readLines(
  stream: Readable,
  onLine: (line: string) => void | Promise<void>,
  maxLineBytes = 64 * 1024,
): Promise<void> {
  let parts: Buffer[] = []
  let length = 0
  let cut = false
  const add = (bytes: Buffer) => {
    const room = maxLineBytes - length
    if (bytes.length > room) cut = true
    const kept = bytes.subarray(0, room)
    if (kept.length > 0) parts.push(kept)
    length += kept.length
  }
  const take = (): string => {
    const text = Buffer.concat(parts).toString().replace(/\r$/, '')
    const line = cut ? `${text}… [line cut]` : text
    parts = []
    length = 0
    cut = false
    return line
  }

  for await (const chunk of stream) {
    // No encoding is set on the stream, so its chunks are buffers.
    const bytes = chunk as Buffer
    let from = 0
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
      // Most lines are whole in a chunk and short: read without a buffer of their own.
      const isPlain = length === 0 && end - from <= maxLineBytes
      if (!isPlain) add(bytes.subarray(from, end))
      const line = isPlain ? plain(bytes, from, end) : take()
      from = end + 1
      await onLine(line)
    }
    if (from < bytes.length) add(bytes.subarray(from))
  }
  if (length > 0) await onLine(take())
}

const plain = (bytes: Buffer, from: number, end: number): string =>
  bytes.toString('utf8', from, end > from && bytes[end - 1] === carriageReturn ? end - 1 : end)

const carriageReturn = 13
