import type { Knex } from 'knex'
import { Query, type Client } from 'pg'
import { sendTogether } from './driver/send-together.ts'

/**
 * A row's columns as PostgreSQL holds them: big-endian numbers, and bytes as they are. They lie in the
 * driver's own buffer, which it writes over: what is to last is copied.
 */
export type CopiedRow = ReadonlyArray<Buffer | null>

/**
 * Reads rows by COPY in its binary format, for columns of many bytes. The driver asks for `bytea` as
 * text, and so makes a string of twice its size and the bytes of that string. It can go when the
 * driver reads binary results (docs/decisions/0118-bytes-by-copy.md).
 */
export async function copyRows<T>(
  db: Knex,
  rows: Knex.QueryBuilder,
  read: (row: CopiedRow) => T,
): Promise<T[]> {
  // knex's way to the driver's own connection, which its types leave open.
  const connection: Client = await db.client.acquireConnection()
  try {
    sendTogether(connection)
    return await new Promise((resolve, reject) => {
      // COPY takes no parameters: knex writes the values into the text, escaped.
      const text = `copy (${rows.toQuery()}) to stdout (format binary)`
      const copy: CopyQuery<T> = new CopyQuery<T>(text, read, (error) => {
        if (error ?? copy.fault) reject(error ?? copy.fault)
        else resolve(copy.copied)
      })
      connection.query(copy)
    })
  } finally {
    await db.client.releaseConnection(connection)
  }
}

/** Of the driver's own class, for the driver lets no other into its pipeline. */
class CopyQuery<T> extends Query {
  readonly copied: T[] = []
  fault: Error | undefined
  readonly #read: (row: CopiedRow) => T
  #isFirst = true

  constructor(
    text: string,
    read: (row: CopiedRow) => T,
    done: (error: Error | null | undefined) => void,
  ) {
    super({ text }, done)
    this.#read = read
  }

  /** PostgreSQL sends a message for each row, the first behind the header. The driver's types do not name this. */
  handleCopyData({ chunk }: { chunk: Buffer }): void {
    const start = this.#isFirst ? headerBytes(chunk) : 0
    this.#isFirst = false
    const count = start + 2 <= chunk.length ? chunk.readInt16BE(start) : endOfRows
    if (count === endOfRows || this.fault) return
    try {
      this.copied.push(this.#read(columnsOf(chunk, start + 2, count)))
    } catch (error) {
      // The driver stands between here and who waits, and would end the process.
      this.fault = error instanceof Error ? error : new Error(String(error))
    }
  }
}

const endOfRows = -1
/** Signature and flags, and before the rows the length of what else a header has. */
const fixedHeaderBytes = 11 + 4 + 4

const headerBytes = (chunk: Buffer): number =>
  fixedHeaderBytes + chunk.readInt32BE(fixedHeaderBytes - 4)

function columnsOf(chunk: Buffer, start: number, count: number): CopiedRow {
  const columns: Array<Buffer | null> = []
  for (let [n, at] = [0, start]; n < count; n += 1) {
    const length = chunk.readInt32BE(at)
    at += 4
    columns.push(length < 0 ? null : chunk.subarray(at, at + length))
    at += Math.max(0, length)
  }
  return columns
}
