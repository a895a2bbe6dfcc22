import type { BillFile } from './bill-file.ts'
import { BillRefused, BillTooLarge, DiskFull, fileRefused } from './protocol.ts'

/** What DuckDB says of a file, in words for its owner and without paths of ours; other errors stay as they are. */
export function duckdbRefusal(file: Pick<BillFile, 'key'>, error: unknown): unknown {
  if (error instanceof BillRefused || error instanceof DiskFull || !(error instanceof Error))
    return error
  const { message } = error
  const line = Number(/CSV Error on Line: (\d+)/.exec(message)?.[1])
  if (line)
    return new BillRefused([
      { file: file.key, row: line - 1, column: null, message: ofLine(message) },
    ])
  // After the lines: such a message quotes the row, which may have these words.
  if (isOfDisk(error)) return new DiskFull()
  if (/^Out of Memory|max_temp_directory_size|File too large/i.test(message))
    return new BillTooLarge([
      {
        file: file.key,
        row: null,
        column: null,
        message:
          'The files need more memory or room on the disk than their reader has. Split them by billing period.',
      },
    ])
  if (
    /^(Invalid Input|IO|Invalid|Serialization|Conversion|Out of Range|INTERNAL|TProtocolException|Parquet|Binder|Not implemented)\b/i.test(
      message,
    )
  )
    return fileRefused(file.key, `The file cannot be read: ${firstLine(message)}`)
  return error
}

/** Of writes by Node, which has no name for EDQUOT (122 on Linux), and by DuckDB. */
const isOfDisk = (error: Error): boolean =>
  ['ENOSPC', 'EDQUOT', 'Unknown system error -122'].includes(
    String((error as NodeJS.ErrnoException).code),
  ) || /^IO Error: [^\n]*(?:No space left on device|Disk quota exceeded)/i.test(error.message)

function ofLine(message: string): string {
  const columns = /Expected Number of Columns: (\d+) Found: (\d+)/.exec(message)
  if (columns) return `The row has ${columns[2]} columns, and the header ${columns[1]}`
  if (message.includes('unterminated quote')) return 'A quote is not closed'
  if (message.includes('not utf-8')) return 'The text is not UTF-8'
  if (message.includes('Maximum line size')) return 'The row is longer than 2 MB'
  return 'The row cannot be read as CSV'
}

/** Paths of the sandbox say nothing to the bill's owner. */
const firstLine = (message: string): string =>
  (message.split('\n')[0] ?? '').replaceAll(/['"]?\/[\w./-]+['"]?/g, 'the file').slice(0, 200)
