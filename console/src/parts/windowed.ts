/** Rows that are rendered above and below the window, in pixels, so that a fast scroll shows no gap. */
export const overscanPx = 1_000

/** Where each row begins, and at the end where the last one ends. */
export function offsetsOf(count: number, heightOf: (at: number) => number): Float64Array {
  const offsets = new Float64Array(count + 1)
  for (let at = 0; at < count; at += 1) offsets[at + 1] = (offsets[at] ?? 0) + heightOf(at)
  return offsets
}

export type Range = { first: number; end: number }

/** The rows between two heights of the list: `end` is the one behind the last. */
export function rangeOf(offsets: Float64Array, top: number, bottom: number): Range {
  const count = offsets.length - 1
  const first = Math.max(0, rowAt(offsets, top))
  return { first: Math.min(first, count), end: Math.min(count, rowAt(offsets, bottom) + 1) }
}

/** The last row that begins at or above a height; -1 above the list. */
function rowAt(offsets: Float64Array, height: number): number {
  let [low, high] = [0, offsets.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((offsets[middle] ?? 0) <= height) low = middle + 1
    else high = middle
  }
  return low - 1
}

export type Piece = { at: number } | { gap: number; before: number }

/** The rendered rows with the gaps between them: also the row with the focus, which must not vanish. */
export function piecesOf(offsets: Float64Array, range: Range, kept: number | undefined): Piece[] {
  const count = offsets.length - 1
  const rows = Array.from(
    { length: Math.max(0, range.end - range.first) },
    (_, n) => range.first + n,
  )
  if (kept !== undefined && kept >= 0 && kept < count) {
    if (kept < range.first) rows.unshift(kept)
    else if (kept >= range.end) rows.push(kept)
  }
  const pieces: Piece[] = []
  let next = 0
  for (const at of [...rows, count]) {
    const gap = (offsets[at] ?? 0) - (offsets[next] ?? 0)
    if (gap > 0) pieces.push({ gap, before: at })
    if (at < count) pieces.push({ at })
    next = at + 1
  }
  return pieces
}
