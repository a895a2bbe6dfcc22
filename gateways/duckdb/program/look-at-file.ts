import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { createGunzip } from 'node:zlib'
import type { DuckDBConnection } from '@duckdb/node-api'
import { named, quoted, rowsOf } from './open-database.ts'
import { fileRefused } from './protocol.ts'

export type BillFile = {
  path: string
  key: string
  /** Among the files of the request. */
  index: number
  format: 'parquet' | 'csv' | 'csv.gz'
  /** Name and type, as DuckDB names it; those of CSV are all VARCHAR. */
  columns: ReadonlyMap<string, string>
  /** The table function that reads it; of a CSV the unpacked bytes at `path`. */
  from(path: string, numbered: boolean): string
}

type NamedFile = { path: string; key: string; index: number }

/** Says by its first bytes what a file is, and which columns it has. */
export async function lookAtFile(database: DuckDBConnection, file: NamedFile): Promise<BillFile> {
  const start = await firstBytes(file.path)
  if (start.length === 0) throw fileRefused(file.key, 'The file is empty')
  const isParquet = start.subarray(0, 4).toString('latin1') === 'PAR1'
  return isParquet
    ? lookAtParquet(database, file)
    : lookAtCsv(file, start[0] === 0x1f && start[1] === 0x8b)
}

async function lookAtParquet(database: DuckDBConnection, file: NamedFile): Promise<BillFile> {
  const from = (path: string, numbered: boolean) =>
    `read_parquet(${quoted(path)}, binary_as_string = true, file_row_number = ${numbered}, hive_partitioning = false)`
  const described = await rowsOf(database, `DESCRIBE SELECT * FROM ${from(file.path, false)}`)
  const columns = new Map(
    described.map((row) => [String(row['column_name']), String(row['column_type'])]),
  )
  assertColumns(file.key, [...columns.keys()])
  return { ...file, format: 'parquet', columns, from }
}

async function lookAtCsv(file: NamedFile, isGzip: boolean): Promise<BillFile> {
  const header = await headerOf(file, isGzip)
  const delimiter = [',', ';', '\t', '|'].reduce((best, one) =>
    header.split(one).length > header.split(best).length ? one : best,
  )
  const names = splitHeader(header, delimiter)
  assertColumns(file.key, names)
  const columns = names.map((name) => `${quoted(name)}: 'VARCHAR'`).join(', ')
  const options = [
    'auto_detect = false',
    'header = true',
    `delim = ${quoted(delimiter)}`,
    `quote = '"'`,
    `escape = '"'`,
    // FOCUS leaves open how a CSV says null.
    `nullstr = ['', 'NULL', 'null']`,
    `compression = 'none'`,
    // Of four rows of the most bytes. Its usual 32 MB a thread are a large part of the memory that there is.
    'buffer_size = 8388608',
    `columns = {${columns}}`,
  ].join(', ')
  return {
    ...file,
    format: isGzip ? 'csv.gz' : 'csv',
    columns: new Map(names.map((name) => [name, 'VARCHAR'])),
    from: (path, numbered) =>
      numbered
        ? `(SELECT *, row_number() OVER () - 1 AS file_row_number FROM read_csv(${quoted(path)}, ${options}, parallel = false))`
        : `read_csv(${quoted(path)}, ${options})`,
  }
}

async function firstBytes(path: string): Promise<Buffer> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(4) })
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

const headerBytesAtMost = 256 * 1024

async function headerOf(file: NamedFile, isGzip: boolean): Promise<string> {
  const source = createReadStream(file.path)
  const stream = isGzip ? source.pipe(createGunzip()) : source
  source.on('error', (error) => stream.destroy(error))
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of stream) {
      chunks.push(chunk as Buffer)
      length += (chunk as Buffer).length
      if ((chunk as Buffer).includes(10) || length > headerBytesAtMost) break
    }
  } catch (error) {
    throw fileRefused(file.key, `The file cannot be unpacked: ${(error as Error).message}`)
  } finally {
    source.destroy()
  }
  const bytes = Buffer.concat(chunks)
  const line = bytes.subarray(0, bytes.includes(10) ? bytes.indexOf(10) : bytes.length)
  if (line.length > headerBytesAtMost || line.includes(0))
    throw fileRefused(file.key, 'The file is neither Parquet nor CSV in UTF-8')
  return line
    .toString()
    .replace(/^\uFEFF/, '')
    .replace(/\r$/, '')
}

function splitHeader(header: string, delimiter: string): string[] {
  const names: string[] = []
  let name = ''
  let isQuoted = false
  for (const letter of header) {
    if (letter === '"') isQuoted = !isQuoted
    else if (letter === delimiter && !isQuoted) {
      names.push(name)
      name = ''
    } else name += letter
  }
  return [...names, name]
}

const columnsAtMost = 1_000

function assertColumns(key: string, names: readonly string[]): void {
  if (names.length > columnsAtMost)
    throw fileRefused(key, `The file has ${names.length} columns, more than ${columnsAtMost}`)
  const lower = new Set<string>()
  for (const name of names) {
    if (lower.has(name.toLowerCase()))
      throw fileRefused(key, 'The column is there twice', name.slice(0, 100))
    if (name === '' || name.length > 300 || name.includes('\0') || named(name).includes('\n'))
      throw fileRefused(key, 'The first line does not name columns: it must be the header')
    lower.add(name.toLowerCase())
  }
}
