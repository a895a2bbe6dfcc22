import { createReadStream } from 'node:fs'

export const loneReturns =
  'The rows end in CR alone, or in different ways; save the file again, with LF or CRLF after each row'
export const mixedLineEnds =
  'The rows end in different ways (LF, CRLF or CR); save the file again, with the same end after each row'

/** A file without faults is never looked at, and one with some only at its beginning. */
const bytesAtMost = 64 * 1024 ** 2

/** The ends of rows at the beginning of a CSV until two kinds of them are found; those in quotes are text. */
export async function lineEndsOf(path: string): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  let isQuoted = false
  let wasReturn = false
  for await (const chunk of createReadStream(path, { end: bytesAtMost })) {
    for (const byte of chunk as Buffer) {
      if (wasReturn) found.add(byte === 10 ? 'CRLF' : 'CR')
      else if (byte === 10 && !isQuoted) found.add('LF')
      if (byte === 34) isQuoted = !isQuoted
      wasReturn = byte === 13 && !isQuoted
    }
    if (found.size > 1) break
  }
  return found
}
