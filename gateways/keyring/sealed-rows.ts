import { batchBytes, type PackedRows } from '../../domain/infrastructure/pack-rows.ts'
import type { Keyring } from './keyring.ts'

/**
 * What a batch of rows is sealed for. The owner and the first number are authenticated, so a batch that was
 * moved does not open.
 */
export type RowsPlace = { organizationId: number; table: string; ownerId: number }

export type SealedRows = { firstSeq: number; lastSeq: number; body: Buffer }

/** One batch of rows, sealed. */
export const sealBatch = (
  keyring: Keyring,
  place: RowsPlace,
  { firstSeq, lastSeq, json }: PackedRows,
): SealedRows => ({ firstSeq, lastSeq, body: keyring.seal(placeOf(place, firstSeq), json) })

export const placeOf = ({ organizationId, table, ownerId }: RowsPlace, firstSeq: number) => ({
  organizationId,
  table,
  column: `body of ${ownerId} from ${firstSeq}`,
})

/** How many batches a page needs, with the one that it begins in. */
export const batchesPerPage = (maxBytes: number): number => Math.ceil(maxBytes / batchBytes) + 1

export type RowsPage<Row> = {
  rows: Row[]
  /** The number of the page's last row where more rows follow. */
  nextSeq: number | null
}

/**
 * The rows after `after`: at most `limit`, and at most `maxBytes` of JSON, but at least one, so that a
 * reader always makes progress.
 */
export function openPage<Row>(
  keyring: Keyring,
  place: RowsPlace,
  { batches, after, limit, maxBytes }: PageOf,
): RowsPage<Row> {
  const rows: Row[] = []
  let [seq, bytes] = [after, 0]
  for (const { firstSeq, body } of batches) {
    // Sealed by sealBatch or with a state, as a list.
    const opened = JSON.parse(keyring.open(placeOf(place, firstSeq), body).toString()) as Row[]
    for (const [at, row] of opened.entries()) {
      if (firstSeq + at <= after) continue
      bytes += Buffer.byteLength(JSON.stringify(row)) + 1
      if (rows.length === limit || (bytes > maxBytes && rows.length > 0))
        return { rows, nextSeq: seq }
      rows.push(row)
      seq = firstSeq + at
    }
  }
  return { rows, nextSeq: null }
}

type PageOf = {
  batches: readonly SealedRows[]
  after: number
  limit: number
  maxBytes: number
}
