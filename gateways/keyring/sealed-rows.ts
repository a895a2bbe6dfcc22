import { batchBytes, packRows } from '../../domain/plans/pack-rows.ts'
import type { Keyring } from './keyring.ts'

/** Where batches of rows belong. The owner is sealed with them: a batch that was moved to another owner is refused. */
export type RowsPlace = { organizationId: number; table: string; ownerId: number }

export type SealedRows = { firstSeq: number; lastSeq: number; body: Buffer }

/** Rows as sealed batches, made one at a time. */
export function* sealRows(
  keyring: Keyring,
  { organizationId, table, ownerId }: RowsPlace,
  rows: Iterable<unknown>,
): Generator<SealedRows> {
  for (const { firstSeq, lastSeq, json } of packRows(rows))
    yield {
      firstSeq,
      lastSeq,
      body: keyring.seal(
        { organizationId, table, column: 'body' },
        `{"ownerId":${ownerId},"firstSeq":${firstSeq},"rows":${json}}`,
      ),
    }
}

/** How many batches hold a page, with the one in whose middle the page begins. */
export const batchesPerPage = (maxBytes: number): number => Math.ceil(maxBytes / batchBytes) + 1

export type RowsPage<Row> = {
  rows: Row[]
  /** The number of the page's last row where more rows follow. */
  nextSeq: number | null
}

/**
 * The rows after `after`: at most `limit`, and at most `maxBytes` of JSON. One row is given whatever
 * its size, so that a reader always gets on.
 */
export function openPage<Row>(
  keyring: Keyring,
  { organizationId, table, ownerId }: RowsPlace,
  { batches, after, limit, maxBytes }: PageOf,
): RowsPage<Row> {
  const rows: Row[] = []
  let [seq, bytes] = [after, 0]
  for (const { firstSeq, body } of batches) {
    // Written by sealRows, and authenticated with its key.
    const opened = JSON.parse(
      keyring.open({ organizationId, table, column: 'body' }, body).toString(),
    ) as { ownerId: number; firstSeq: number; rows: Row[] }
    if (opened.ownerId !== ownerId || opened.firstSeq !== firstSeq)
      throw new Error('sealed rows are not where they belong')
    for (const [at, row] of opened.rows.entries()) {
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
