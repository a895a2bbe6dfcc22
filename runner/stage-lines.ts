import type { LogLevel } from '../domain/runs/log-line.ts'
import type { Mask } from '../domain/runs/mask-secrets.ts'
import { stripControls } from '../domain/secrets/strip-controls.ts'
import { maxLogLineLength, maxLogLines, type LogLine } from '../gateways/runner/protocol.ts'
import { costOfLine, openLogTail } from './log-tail.ts'

export type StageLines = {
  /** Resolves once the line is accepted: backpressure for programs that print faster than the store writes. */
  write(level: LogLevel, line: string): Promise<void>
  /** Masks other texts about the run, such as its error message. */
  mask(text: string): string
  /** Sends the remaining lines. */
  close(): Promise<void>
}

const flushMs = 200
/** Fits into one frame, even if JSON needs six bytes for each character (gateways/runner/frames.ts). */
const flushCharacters = 32 * 1024
/** A stage keeps its first and last lines. A line between them counts the dropped ones. */
const maxHeadBytes = 8 * 1024 * 1024
const tailBlocks = { blocks: 32, blockBytes: 64 * 1024 }

/** Sends a stage's log in batches: in order, masked, and of bounded size (docs/runs.md, "Logs"). */
export function openStageLines({
  mask,
  send,
}: {
  /** Applied before a line leaves this process. */
  mask: Mask
  send: (lines: LogLine[]) => Promise<void>
}): StageLines {
  let pending: LogLine[] = []
  let characters = 0
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<void> = Promise.resolve()
  let headBytes = 0
  const tail = openLogTail(tailBlocks)

  const flush = async (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    const batch = pending
    pending = []
    characters = 0
    if (batch.length > 0) sending = sending.then(async () => send(batch))
    return sending
  }
  const add = async (entry: LogLine): Promise<void> => {
    pending.push(entry)
    characters += entry.line.length
    if (pending.length >= maxLogLines || characters >= flushCharacters) await flush()
  }

  return {
    mask: (text) =>
      mask(
        text
          .split('\n')
          .map((line) => stripControls(line))
          .join('\n'),
      ),

    async write(level, text) {
      const plain = stripControls(text)
      // Cut before masking, and again after it, since a mask can be longer than the secret that it replaces.
      const clean = mask(plain, maxLogLineLength).slice(0, maxLogLineLength)
      const line = plain.length > maxLogLineLength ? `${clean}… (line cut)` : clean
      if (headBytes >= maxHeadBytes) return tail.add({ level, line })
      // An empty line costs too: a program can print a thousand million of them.
      headBytes += costOfLine + line.length
      timer ??= setTimeout(() => void flush().catch(() => undefined), flushMs)
      await add({ level, line })
    },

    async close() {
      const dropped = tail.dropped()
      if (dropped.lines > 0)
        await add({
          level: 'warn',
          line: `… ${dropped.lines} lines (${dropped.bytes} bytes) were left out here: a stage keeps 10 MB of log`,
        })
      for (const entry of tail.take()) await add(entry)
      await flush()
    },
  }
}
