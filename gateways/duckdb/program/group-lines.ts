import type { DuckDBConnection } from '@duckdb/node-api'
import { checkColumns } from './check-columns.ts'
import { duckdbRefusal } from './duckdb-refusal.ts'
import { extraColumns, extrasAtMost, lineColumns } from './line-columns.ts'
import type { BillFile } from './bill-file.ts'
import { named } from './open-database.ts'
import { BillRefused, errorsAtMost, type BillError, type ProgramRequest } from './protocol.ts'
import { overCsv } from './unpack-csv.ts'

/**
 * Fills the table `grouped` with the lines of all files: grouped to the UTC day by all dimensions as they are in the
 * file. A line is looked at once; what is left to do is done by group. Returns the names of extra columns.
 */
export async function groupLines(
  database: DuckDBConnection,
  files: readonly BillFile[],
  request: ProgramRequest,
): Promise<string[]> {
  const refused: BillError[] = []
  for (const file of files)
    try {
      checkColumns(file)
    } catch (error) {
      if (!(error instanceof BillRefused)) throw error
      refused.push(...error.errors)
    }
  if (refused.length > 0) throw new BillRefused(refused.slice(0, errorsAtMost), refused.length)

  const extras = [...new Set(files.flatMap(extraColumns))].toSorted().slice(0, extrasAtMost)
  for (const [index, file] of files.entries()) {
    const into = index === 0 ? 'CREATE TABLE grouped AS' : 'INSERT INTO grouped BY NAME'
    const columns = lineColumns(file, extras)
    const selected = [...columns.dimensions, ...columns.aggregates]
      .map(([name, sql]) => `${sql} AS ${named(name)}`)
      .join(', ')
    const keys = columns.dimensions.map((_, position) => position + 1).join(', ')
    await overFile(file, request, (path) =>
      database.run(`${into} SELECT ${selected} FROM ${file.from(path, false)} GROUP BY ${keys}`),
    )
  }
  return extras
}

/** Runs a statement over a file, and says which file it was where it fails. */
export async function overFile<T>(
  file: BillFile,
  request: ProgramRequest,
  use: (path: string) => Promise<T>,
): Promise<T> {
  try {
    // The last of these lines names the file at which the program died.
    process.stderr.write(`reading ${file.index}\n`)
    if (file.format === 'parquet') return await use(file.path)
    return await overCsv(file, request, use)
  } catch (error) {
    throw duckdbRefusal(file, error)
  }
}
