import { bareName } from './column-names.ts'
import { named } from './open-database.ts'
import { fileRefused } from './protocol.ts'

export type BillFile = {
  path: string
  key: string
  /** Among the files of the request. */
  index: number
  format: 'parquet' | 'csv' | 'csv.gz'
  /** FOCUS's name and type, as DuckDB names it; those of CSV are all VARCHAR. A column without a value may be left out. */
  columns: ReadonlyMap<string, string>
  /** The file's own name of a column, by FOCUS's. */
  given: ReadonlyMap<string, string>
  /** What reads it, under FOCUS's names; of a CSV the unpacked bytes at `path`. */
  from(path: string, numbered: boolean): string
}

export type NamedFile = { path: string; key: string; index: number }

const columnsAtMost = 1_000

export function assertColumns(key: string, names: readonly string[]): void {
  if (names.length > columnsAtMost)
    throw fileRefused(key, `The file has ${names.length} columns, more than ${columnsAtMost}`)
  const bare = new Set<string>()
  for (const name of names) {
    if (bare.has(bareName(name)))
      throw fileRefused(key, 'The column is there twice', name.slice(0, 100))
    if (
      name.trim() === '' ||
      name.length > 300 ||
      name.includes('\0') ||
      named(name).includes('\n')
    )
      throw fileRefused(key, 'The first line does not name columns: it must be the header')
    bare.add(bareName(name))
  }
}
