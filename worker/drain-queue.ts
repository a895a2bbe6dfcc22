import type { Logger } from 'pino'
import type { ChangeFeed, Channel } from '../store/platform/change-feed.ts'

export type Relay = { stop(): Promise<void> }

export type Queue<Row> = {
  /** What the store notifies on when something is queued. */
  channel: Channel
  /** How often the queue is looked at without being told, in milliseconds: a notification can be lost. */
  pollMs: number
  /** At most so many rows, held by whoever claims them. */
  claim(): Promise<readonly Row[]>
  /** Writes down in the queue what goes wrong with a row; if even that fails, the row is claimed again later. */
  deliver(row: Row): Promise<void>
}

/** Delivers what is queued, a batch at a time, until it is stopped; `stop` waits for the batch that is under way. */
export function drainQueue<Row>(
  queue: Queue<Row>,
  { changes, log }: { changes: ChangeFeed; log: Logger },
): Relay {
  let stopped = false
  let wake: () => void = () => undefined
  const unlisten = changes.on(queue.channel, () => wake())

  const loop = async () => {
    while (!stopped) {
      // Before the queue is read: what is queued meanwhile ends the wait that follows.
      const woken = new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, queue.pollMs)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      try {
        const rows = await queue.claim()
        await Promise.all(rows.map(async (row) => queue.deliver(row)))
        if (rows.length > 0) continue
      } catch (error) {
        log.warn({ err: error, channel: queue.channel }, 'what is queued cannot be read')
      }
      await woken
    }
  }
  const running = loop()

  return {
    async stop() {
      stopped = true
      unlisten()
      wake()
      await running
    },
  }
}
