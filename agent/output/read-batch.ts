import type { Mask } from '../../domain/runs/mask-secrets.ts'
import { stripControls } from '../../domain/secrets/strip-controls.ts'
import { marks, type Level, type OutputFile } from './output-file.ts'

export type Line = { at: string; level: Level; line: string }

/** Where the next batch begins. `skips`: in the middle of a long line, of which the beginning was sent. */
export type Place = { at: number; skips: boolean }

export type Batch = { lines: Line[]; next: Place }

/** Of the service: 500 lines and 256 KiB a batch. A line may need six bytes a character in JSON. */
const maxLines = 500
const maxBatchBytes = 200 * 1024
const maxLineLength = 4_096
const windowBytes = 128 * 1024

/**
 * Reads whole lines from a place on, and masks them. The last line counts as whole only at the end, because the hook may
 * still be writing it. A line is cut before it is masked, so that no half of a secret is sent.
 */
export function readBatch(
  output: Pick<OutputFile, 'read'>,
  {
    from,
    mask,
    atEnd,
    until = Number.POSITIVE_INFINITY,
  }: { from: Place; mask: Mask; atEnd: boolean; until?: number },
): Batch {
  const most = Math.min(windowBytes, until - from.at)
  const window = buffer.subarray(0, Math.min(output.read(buffer, from.at), most))
  const isLast = window.length < windowBytes
  const at = new Date().toISOString()
  const lines: Line[] = []
  let { skips } = from
  let taken = 0
  let bytes = 0
  while (taken < window.length && lines.length < maxLines && bytes < maxBatchBytes) {
    const newline = window.indexOf(0x0a, taken)
    if (newline < 0) {
      const isWhole = isLast && atEnd
      // Longer than the window and not ended: its beginning is sent, and the rest is skipped.
      const isTooLong = window.length - taken > maxLineLength * 4
      if (!isWhole && !isTooLong) break
      if (!skips) lines.push({ at, ...clean(window.subarray(taken), mask) })
      skips = !isWhole
      taken = window.length
      break
    }
    if (skips) skips = false
    else {
      const line = { at, ...clean(window.subarray(taken, newline), mask) }
      const size = Buffer.byteLength(JSON.stringify(line)) + 1
      if (bytes + size > maxBatchBytes && lines.length > 0) break
      bytes += size
      lines.push(line)
    }
    taken = newline + 1
  }
  return { lines, next: { at: from.at + taken, skips } }
}

/** One for all: batches are read one after the other. */
const buffer = Buffer.alloc(windowBytes)

function clean(bytes: Buffer, mask: Mask): { level: Level; line: string } {
  const text = bytes.subarray(0, (maxLineLength + 8_192) * 4).toString()
  const level = text.startsWith(marks.error)
    ? 'error'
    : text.startsWith(marks.warn)
      ? 'warn'
      : 'info'
  const plain = stripControls(level === 'info' ? text : text.slice(marks.warn.length))
  const line = mask(plain, maxLineLength).slice(0, maxLineLength)
  return { level, line: plain.length > maxLineLength ? `${line}… (line cut)` : line }
}
