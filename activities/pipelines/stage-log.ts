import type { Mask } from '../../domain/pipelines/mask-secrets.ts'
import { stripControls } from '../../domain/secrets/strip-controls.ts'
import type { Store } from '../../store/connect.ts'
import { logLines, type LogLevel, type NewLogLine } from '../../store/pipelines/log-lines.ts'
import { retryWhileUnavailable } from '../retry-while-unavailable.ts'

export type StageLog = {
  /** Resolves once the line has its place; awaiting it slows down a tool that talks faster than the store writes. */
  write(level: LogLevel, line: string): Promise<void>
  /** Stores what was written before: for a line that must be there even if the worker dies next. */
  flush(): Promise<void>
  /** For what is told of a run beside its log: it is read by the same people. */
  mask(text: string): string
  /** Stores what is left. Nothing is lost that was written before. */
  close(): Promise<void>
}

const flushMs = 200
const flushLines = 200
const maxLineLength = 4_096
/** A stage keeps its first and its last lines; what is between is dropped with a line that says so. */
const maxHeadBytes = 8 * 1024 * 1024
const maxTailBytes = 2 * 1024 * 1024

type Place = {
  store: Store
  organizationId: number
  stageId: number
  /** Applied before a line is stored (runs.md, Sandbox). */
  mask: Mask
}

/** Writes a stage's log in batches, in order, masked and of bounded size (runs.md, Logs). */
export function openStageLog({ store, organizationId, stageId, mask }: Place): StageLog {
  let pending: NewLogLine[] = []
  let timer: NodeJS.Timeout | undefined
  let storing: Promise<void> = Promise.resolve()
  let headBytes = 0
  let tail: NewLogLine[] = []
  let tailBytes = 0
  let droppedLines = 0
  let droppedBytes = 0

  const flush = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    const batch = pending
    pending = []
    if (batch.length === 0) return storing
    storing = storing.then(async () =>
      retryWhileUnavailable(async () =>
        store.tenant(organizationId, async (db) => {
          await logLines(db, organizationId).append(stageId, batch)
        }),
      ),
    )
    return storing
  }

  const keepInTail = (line: NewLogLine) => {
    tail.push(line)
    tailBytes += line.line.length
    while (tailBytes > maxTailBytes) {
      const dropped = tail.shift()
      tailBytes -= dropped?.line.length ?? 0
      droppedBytes += dropped?.line.length ?? 0
      droppedLines += 1
    }
  }

  return {
    flush,
    mask: (text) =>
      mask(
        text
          .split('\n')
          .map((line) => stripControls(line))
          .join('\n'),
      ),

    async write(level, text) {
      const plain = stripControls(text)
      // Cut before it is masked, and again since a mask can be longer than what it covers.
      const clean = mask(plain, maxLineLength).slice(0, maxLineLength)
      const line = plain.length > maxLineLength ? `${clean}… (line cut)` : clean
      if (headBytes >= maxHeadBytes) return keepInTail({ level, line })
      headBytes += line.length
      pending.push({ level, line })
      if (pending.length >= flushLines) return flush()
      timer ??= setTimeout(() => void flush().catch(() => undefined), flushMs)
    },

    async close() {
      if (droppedLines > 0)
        pending.push({
          level: 'warn',
          line: `… ${droppedLines} lines (${droppedBytes} bytes) were left out here: a stage keeps 10 MB of log`,
        })
      droppedLines = 0
      droppedBytes = 0
      pending.push(...tail)
      tail = []
      tailBytes = 0
      while (pending.length > flushLines) {
        const rest = pending.splice(flushLines)
        await flush()
        pending = rest
      }
      await flush()
    },
  }
}
