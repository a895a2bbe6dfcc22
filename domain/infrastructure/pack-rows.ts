/**
 * Packs rows into batches of bounded size, each with the numbers of its first and last row. A page then
 * opens a few batches; one sealed value per row would cost an envelope and a look-up each.
 */
export function* packRows<Row>(rows: Iterable<Row>, maxBytes = batchBytes): Generator<PackedRows> {
  yield* packTexts(textsOf(rows), maxBytes)
}

function* textsOf(rows: Iterable<unknown>): Generator<string> {
  for (const row of rows) yield JSON.stringify(row)
}

/** The same of rows that are JSON already. */
export function* packTexts(rows: Iterable<string>, maxBytes: number): Generator<PackedRows> {
  let texts: string[] = []
  let bytes = 0
  let seq = 0
  const pack = (): PackedRows => ({
    firstSeq: seq - texts.length + 1,
    lastSeq: seq,
    json: `[${texts.join(',')}]`,
  })
  for (const text of rows) {
    const size = Buffer.byteLength(text) + 1
    if (texts.length > 0 && bytes + size > maxBytes) {
      yield pack()
      texts = []
      bytes = 0
    }
    texts.push(text)
    bytes += size
    seq += 1
  }
  if (texts.length > 0) yield pack()
}

/** Fits into one frame from a runner with its brackets (gateways/runner/frames.ts). */
export const batchBytes = 192 * 1_024

export type PackedRows = { firstSeq: number; lastSeq: number; json: string }
