import { execFile } from 'node:child_process'
import { constants, createReadStream, createWriteStream } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { createGunzip } from 'node:zlib'
import type { BillFile } from './look-at-file.ts'
import { fileRefused } from './protocol.ts'

/**
 * Runs a statement over the unpacked bytes of a CSV, by a named pipe. DuckDB's own reader of gzip takes a file
 * that ends in the middle for a whole one, and looks at no checksum; zlib does both, and here the bytes are counted,
 * so that a small file cannot unpack to whatever it likes. Inflating beside DuckDB's thread is faster too.
 */
export async function overPipe<T>(
  file: BillFile,
  { pipe, unpackedBytes }: { pipe: string; unpackedBytes: number },
  use: (path: string) => Promise<T>,
): Promise<T> {
  await promisify(execFile)('mkfifo', ['-m', '600', pipe])
  const over = new AbortController()
  try {
    let fault: unknown
    const feeding = feed(file, { pipe, unpackedBytes, over: over.signal }).catch(
      (error: unknown) => (fault = error),
    )
    const used = use(pipe).finally(() => over.abort())
    const [answer] = await Promise.allSettled([used, feeding])
    // A file that cannot be unpacked is the cause of whatever the statement found.
    if (isOfFile(fault)) throw unpackingRefused(file, fault)
    if (answer.status === 'rejected') throw answer.reason
    return answer.value
  } finally {
    await rm(pipe, { force: true })
  }
}

type Feed = { pipe: string; unpackedBytes: number; over: AbortSignal }

async function feed(file: BillFile, { pipe, unpackedBytes, over }: Feed): Promise<void> {
  // Opened without waiting: a statement that fails before it opens the pipe would leave this side waiting for ever.
  const first = await openOnceRead(pipe, over)
  if (!first) return
  const target = createWriteStream(pipe)
  target.once('open', () => void first.close())
  const source = createReadStream(file.path, { highWaterMark: pieceBytes })
  const counted = countBytes(unpackedBytes)
  if (file.format === 'csv') await pipeline(source, counted, target, { signal: over })
  else {
    const unpacked = createGunzip({ chunkSize: pieceBytes })
    await pipeline(source, unpacked, counted, target, { signal: over })
  }
}

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

async function openOnceRead(pipe: string, over: AbortSignal) {
  while (!over.aborted) {
    try {
      return await open(pipe, constants.O_WRONLY | constants.O_NONBLOCK)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENXIO') throw error
      await sleep(2)
    }
  }
  return undefined
}

class TooManyBytes extends Error {}
class LongRow extends Error {}

/** Not that the statement closed the pipe, or ended. */
const isOfFile = (fault: unknown): fault is Error =>
  fault instanceof TooManyBytes ||
  fault instanceof LongRow ||
  (fault instanceof Error && String((fault as NodeJS.ErrnoException).code).startsWith('Z_'))

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
