import { createReadStream, createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { Transform, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type { BillFile } from './bill-file.ts'
import { lineEndsOf, mixedLineEnds } from './line-ends.ts'
import { fileRefused } from './protocol.ts'

/**
 * Runs a statement over a CSV that was looked through to its end. A gzip file is unpacked to the disk before: DuckDB's
 * own reader of gzip takes a file that ends in the middle for a whole one, looks at no checksum, and leaves rows out
 * where a file has many small members. zlib does none of that, and here the bytes are counted, so that a small file
 * cannot unpack to whatever it likes. From a pipe DuckDB keeps all bytes in memory until its statement ends.
 */
export async function overCsv<T>(
  file: BillFile,
  { scratchFolder, unpackedBytes }: { scratchFolder: string; unpackedBytes: number },
  use: (path: string) => Promise<T>,
): Promise<T> {
  const unpacked = file.format === 'csv.gz' ? `${scratchFolder}/unpacked.csv` : undefined
  try {
    await lookThrough(file, unpacked, unpackedBytes).catch((error: unknown) => {
      throw isOfFile(error) ? unpackingRefused(file, error) : error
    })
    const path = unpacked ?? file.path
    return await use(path).catch(async (error: unknown) => {
      // DuckDB names a quote or its own parser.
      if (/CSV Error|CSV Parser/.test(String(error)) && (await lineEndsOf(path)).size > 1)
        throw fileRefused(file.key, mixedLineEnds)
      throw error
    })
  } finally {
    if (unpacked !== undefined) await rm(unpacked, { force: true })
  }
}

async function lookThrough(
  file: BillFile,
  unpacked: string | undefined,
  unpackedBytes: number,
): Promise<void> {
  const source = createReadStream(file.path, { highWaterMark: pieceBytes })
  const counted = countBytes(unpackedBytes)
  if (unpacked === undefined) await pipeline(source, counted, nowhere())
  else {
    const gunzip = createGunzip({ chunkSize: pieceBytes })
    await pipeline(source, gunzip, counted, createWriteStream(unpacked))
  }
}

const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() })

/** Passes bytes on, and ends a file that has too many of them, in all or in one row. */
function countBytes(unpackedBytes: number): Transform {
  let length = 0
  let sinceBreak = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      length += chunk.length
      const lastBreak = chunk.lastIndexOf(10)
      sinceBreak = lastBreak < 0 ? sinceBreak + chunk.length : chunk.length - lastBreak
      if (length > unpackedBytes) done(new TooManyBytes())
      else if (sinceBreak > rowBytesAtMost) done(new LongRow())
      else done(null, chunk)
    },
  })
}

/** DuckDB leaves a longer row out where it is the last one, and says nothing. */
const rowBytesAtMost = 2 * 1024 ** 2

const pieceBytes = 256 * 1024

class TooManyBytes extends Error {}
class LongRow extends Error {}

/** Not that the disk is full. */
const isOfFile = (error: unknown): error is Error =>
  error instanceof TooManyBytes ||
  error instanceof LongRow ||
  (error instanceof Error && String((error as NodeJS.ErrnoException).code).startsWith('Z_'))

function unpackingRefused({ key }: BillFile, fault: Error): Error {
  if (fault instanceof TooManyBytes)
    return fileRefused(key, 'The file unpacks to more bytes than one may have')
  if (fault instanceof LongRow) return fileRefused(key, 'A row of the file is longer than 2 MB')
  const isCut = (fault as NodeJS.ErrnoException).code === 'Z_BUF_ERROR'
  return fileRefused(
    key,
    isCut
      ? 'The file ends in the middle: it was not written or sent as a whole'
      : `The file is damaged: ${fault.message}`,
  )
}
