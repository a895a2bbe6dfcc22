import { createWriteStream, mkdirSync, renameSync, statSync, type WriteStream } from 'node:fs'
import { dirname } from 'node:path'
import { StringDecoder } from 'node:string_decoder'

export type LogFile = {
  write(chunk: Buffer): void
  /** The last lines, for the error message of a part that does not start. */
  tail(): string
  close(): Promise<void>
}

const largestBytes = 20 * 1024 * 1024
const keptLines = 12

/** Appends a part's output to a file. To bound its size it rotates at 20 MiB and keeps one older file. */
export function openLogFile(path: string, onLine?: (line: string) => void): LogFile {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  let stream = open(path)
  let bytes = sizeOf(path)
  let rest = ''
  const last: string[] = []
  const decoder = new StringDecoder('utf8')

  return {
    write(chunk) {
      bytes += chunk.length
      if (bytes > largestBytes) {
        stream.end()
        moveAside(path)
        stream = open(path)
        bytes = chunk.length
      }
      stream.write(chunk)
      const lines = (rest + decoder.write(chunk)).split('\n')
      // Bounds the memory for a line that never ends.
      rest = (lines.pop() ?? '').slice(-64 * 1024)
      for (const line of lines) {
        last.push(line.slice(0, 1_000))
        if (last.length > keptLines) last.shift()
        onLine?.(line)
      }
    },
    tail: () => [...last, rest].join('\n').trim(),
    close: () => new Promise((resolve) => stream.end(() => resolve())),
  }
}

function moveAside(path: string): void {
  try {
    renameSync(path, `${path}.1`)
  } catch {
    // Somebody has removed it. A log must not end the supervisor.
  }
}

function open(path: string): WriteStream {
  const stream = createWriteStream(path, { flags: 'a', mode: 0o600 })
  // A full disk must not end the supervisor: without a listener the error would be thrown.
  stream.on('error', () => undefined)
  return stream
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
