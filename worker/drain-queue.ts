import type { Logger } from 'pino'
import type { ChangeFeed, Channel } from '../store/platform/change-feed.ts'

export type Relay = { stop(): Promise<void> }

export type Queue<Row> = {
  /** The channel that announces new rows. */
  channel: Channel
  /** How often the queue is polled, because a notification can be lost. */
  pollMs: number
  /** Claims a limited number of rows. */
  claim(): Promise<readonly Row[]>
  /** Delivers a row and records a failure in the queue. If even that fails, the row is claimed again later. */
  deliver(row: Row): Promise<void>
}

/** Delivers a queue in batches until it is stopped; `stop` waits for the current batch. */
export function drainQueue<Row>(
  queue: Queue<Row>,
  { changes, log }: { changes: ChangeFeed; log: Logger },
): Relay {
  let stopped = false
  let wake: () => void = () => undefined
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
        const rows = await queue.claim()
        await Promise.all(rows.map(async (row) => queue.deliver(row)))
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
    },
  }
}
