import type { DuckDBConnection } from '@duckdb/node-api'
import { overFile } from './group-lines.ts'
import { lineColumns, type LineCheck } from './line-columns.ts'
import type { BillFile } from './bill-file.ts'
import { quoted, rowsOf } from './open-database.ts'
import { BillRefused, errorsAtMost, type BillError, type ProgramRequest } from './protocol.ts'

/** Reads the files once more, to say where they cannot be read: the first places, and the number of bad rows. */
export async function findFaults(
  database: DuckDBConnection,
  files: readonly BillFile[],
  request: ProgramRequest,
): Promise<BillRefused> {
  const errors: BillError[] = []
  let rejected = 0
  for (const file of files) {
    const found = await overFile(file, request, (path) =>
      faultsOf({ database, file, request, path }),
    )
    rejected += found.rejected
    errors.push(...found.errors)
  }
  return new BillRefused(errors.slice(0, errorsAtMost), rejected)
}

type Look = { database: DuckDBConnection; file: BillFile; request: ProgramRequest; path: string }

async function faultsOf({ database, file, request, path }: Look) {
  // A bill that names no provider is the account's own.
  const isFault = ({ column }: LineCheck) => column !== 'ProviderName' || request.provider === null
  const faults = lineColumns(file, [])
    .checks.filter(isFault)
    .map(
      ({ column, bad, message }) =>
        `CASE WHEN ${bad} THEN {'column': ${quoted(file.given.get(column) ?? column)}, 'message': ${message}} END`,
    )
  // As a table: the rows that are bad are few, or as many as the file has.
  await database.run(`
    CREATE OR REPLACE TABLE faults AS
    SELECT * FROM (
      SELECT file_row_number + 1 AS row, list_filter([${faults.join(', ')}], fault -> fault IS NOT NULL) AS found
      FROM ${file.from(path, true)})
    WHERE len(found) > 0`)
  const [counted] = await rowsOf(database, 'SELECT count(*) AS rejected FROM faults')
  const first = await rowsOf(
    database,
    `SELECT CAST(row AS INTEGER) AS row, fault.column AS "column", fault.message AS message
     FROM (SELECT row, unnest(found) AS fault FROM (SELECT * FROM faults ORDER BY row LIMIT ${errorsAtMost}))
     ORDER BY row LIMIT ${errorsAtMost}`,
  )
  return {
    rejected: Number(counted?.['rejected'] ?? 0),
    errors: first.map((row) => ({
      file: file.key,
      row: Number(row['row']),
      column: String(row['column']),
      message: String(row['message']),
    })),
  }
}
