import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'

export type Level = 'info' | 'warn' | 'error'

export type OutputFile = {
  /** To which a hook prints. */
  descriptor: number
  path: string
  /** A line of the agent's own. */
  say(level: Level, line: string): void
  size(): number
  /** Fewer bytes than the buffer has at the end of the file. */
  read(into: Buffer, from: number): number
  /** From here a hook prints, and what it prints is limited. */
  beginHook(): void
  /** Called now and then while a hook runs, so that its output cannot fill the disk. */
  hold(): void
  endHook(): void
  close(): void
}

/** Marks the agent's own lines. A hook that prints them only gives its line another level. */
export const marks = { warn: '\u0001w', error: '\u0001e' } as const

/** Of what a hook prints its first 10 MiB are kept, and its last lines, which say why it failed. */
const keptBytes = 10 * 1024 ** 2
const tailBytes = 64 * 1024
/** How far the file may grow before it is shortened. */
const slackBytes = 4 * 1024 ** 2

/**
 * The output of a deployment, in the order in which it was written. A file and no pipe: a hook whose agent is killed
 * prints on, and nothing is lost.
 */
export function openOutput(path: string): OutputFile {
  const writer = openSync(path, 'a', 0o600)
  const reader = openSync(path, 'r')
  const last = Buffer.alloc(1)
  const size = () => fstatSync(reader).size
  let limit = Number.POSITIVE_INFINITY
  let leftOut = 0
  let tail = Buffer.alloc(0)

  const shorten = () => {
    const end = size()
    if (end <= limit) return
    const from = Math.max(limit, end - tailBytes)
    const now = Buffer.alloc(end - from)
    const length = readSync(reader, now, 0, now.length, from)
    tail = Buffer.concat([tail, now.subarray(0, length)]).subarray(-tailBytes)
    leftOut += end - limit
    // The hook's own writes go on at the new end, since the file is open for appending.
    ftruncateSync(writer, limit)
  }
  const say = (level: Level, line: string) => {
    const end = size()
    const isBegun = end > 0 && readSync(reader, last, 0, 1, end - 1) === 1 && last[0] !== 0x0a
    const mark = level === 'info' ? '' : marks[level]
    try {
      writeSync(writer, `${isBegun ? '\n' : ''}${mark}${line.replaceAll('\n', ' ')}\n`)
    } catch {
      // On a full disk. The result says the same.
    }
  }

  return {
    descriptor: writer,
    path,
    say,
    size,
    read: (into, from) => readSync(reader, into, 0, into.length, from),
    beginHook() {
      limit = size() + keptBytes
      leftOut = 0
      tail = Buffer.alloc(0)
    },
    hold() {
      if (size() > limit + slackBytes) shorten()
    },
    endHook() {
      if (leftOut > 0 || size() > limit + tailBytes) {
        shorten()
        const newline = tail.indexOf(0x0a)
        const lines = newline < 0 ? tail : tail.subarray(newline + 1)
        say(
          'warn',
          `… ${leftOut - lines.length} bytes were left out here: of a hook 10 MiB are kept`,
        )
        writeSync(writer, lines)
      }
      limit = Number.POSITIVE_INFINITY
    },
    close() {
      closeSync(writer)
      closeSync(reader)
    },
  }
}
