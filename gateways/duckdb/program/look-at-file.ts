import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { createGunzip } from 'node:zlib'
import type { DuckDBConnection } from '@duckdb/node-api'
import { assertColumns, type BillFile, type NamedFile } from './bill-file.ts'
import { focusNames } from './column-names.ts'
import { loneReturns } from './line-ends.ts'
import { lookAtParquet } from './look-at-parquet.ts'
import { quoted } from './open-database.ts'
import { fileRefused } from './protocol.ts'

/** Says by its first bytes what a file is, and which columns it has; undefined where it has no byte, also unpacked. */
export async function lookAtFile(
  database: DuckDBConnection,
  file: NamedFile,
): Promise<BillFile | undefined> {
  const start = await firstBytes(file.path)
  if (start.length === 0) return undefined
  const isParquet = start.subarray(0, 4).toString('latin1') === 'PAR1'
  return isParquet
    ? lookAtParquet(database, file)
    : lookAtCsv(file, start[0] === 0x1f && start[1] === 0x8b)
}

async function lookAtCsv(file: NamedFile, isGzip: boolean): Promise<BillFile | undefined> {
  const header = await headerOf(file, isGzip)
  if (header === undefined) return undefined
  const delimiter = [',', ';', '\t', '|'].reduce((best, one) =>
    header.split(one).length > header.split(best).length ? one : best,
  )
  const given = splitHeader(header, delimiter)
  assertColumns(file.key, given)
  const names = focusNames(given)
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
    given: new Map(names.map((name, index) => [name, given[index] ?? name])),
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

async function headerOf(file: NamedFile, isGzip: boolean): Promise<string | undefined> {
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
  if (length === 0) return undefined
  const bytes = Buffer.concat(chunks)
  const line = bytes.subarray(0, bytes.includes(10) ? bytes.indexOf(10) : bytes.length)
  if (line.length > headerBytesAtMost || line.includes(0))
    throw fileRefused(file.key, 'The file is neither Parquet nor CSV in UTF-8')
  const header = line
    .toString()
    .replace(/^\uFEFF/, '')
    .replace(/\r$/, '')
  if (header.includes('\r')) throw fileRefused(file.key, loneReturns)
  return header
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
