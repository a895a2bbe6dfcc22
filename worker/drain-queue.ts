import type { Logger } from 'pino'
import type { ChangeFeed, Channel } from '../store/platform/change-feed.ts'

export type Relay = { stop(): Promise<void> }

export type Queue<Row> = {
  /** The channel that announces new rows. */
  channel: Channel
  /** How often the queue is polled, because a notification can be lost. */
  pollMs: number
  /**
   * Rows under way at once. Without it a batch is claimed when the one before it is delivered; with it a row that
   * takes long holds its own place alone.
   */
  atOnce?: number
  /** Claims a limited number of rows: at most `free` if `atOnce` is given. */
  claim(free: number): Promise<readonly Row[]>
  /** Delivers a row and records a failure in the queue. If even that fails, the row is claimed again later. */
  deliver(row: Row): Promise<void>
}

/** Delivers a queue until it is stopped; `stop` waits for what is under way. */
export function drainQueue<Row>(
  queue: Queue<Row>,
  { changes, log }: { changes: ChangeFeed; log: Logger },
): Relay {
  let stopped = false
  let wake: () => void = () => undefined
  const underWay = new Set<Promise<void>>()
  const begin = (row: Row) => {
    const delivered = queue
      .deliver(row)
      .catch((error: unknown) =>
        log.warn({ err: error, channel: queue.channel }, 'a row of the queue was not delivered'),
      )
      .finally(() => {
        underWay.delete(delivered)
        wake()
      })
    underWay.add(delivered)
  }
  const unlisten = changes.on(queue.channel, () => wake())

  const loop = async () => {
    while (!stopped) {
      // Created before the queue is read, so that rows queued meanwhile end the wait.
      const woken = new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, queue.pollMs)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      try {
        const { atOnce } = queue
        const free = atOnce === undefined ? Infinity : atOnce - underWay.size
        const rows = free > 0 ? await queue.claim(free) : []
        for (const row of rows) begin(row)
        if (atOnce === undefined) await Promise.all(underWay)
        if (rows.length > 0) continue
      } catch (error) {
        log.warn({ err: error, channel: queue.channel }, 'the queue cannot be read')
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
      await Promise.all(underWay)
    },
  }
}
