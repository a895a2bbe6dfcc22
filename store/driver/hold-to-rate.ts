import type { Readable } from 'node:stream'

/** A reader takes at least `leastBytes` in each `slowMs` in which rows wait for it. */
export type Rate = { slowMs: number; leastBytes: number }

const looksAPeriod = 60

/**
 * Destroys a stream whose reader is slower than the rate. Time counts only while rows wait for the reader:
 * from the first row on, and not while PostgreSQL looks for the next. Call it before anybody reads.
 */
export function holdToRate(rows: Readable, { slowMs, leastBytes }: Rate): void {
  let [taken, looks] = [0, 0]
  rows.on('data', (chunk: Buffer) => (taken += chunk.length))
  // The listener above starts the flow; who reads starts it again.
  rows.pause()
  const timer = setInterval(() => {
    if (rows.readableLength === 0) return
    looks += 1
    if (looks < looksAPeriod) return
    if (taken < leastBytes) rows.destroy(new Error('The reader is too slow.'))
    ;[taken, looks] = [0, 0]
  }, slowMs / looksAPeriod)
  rows.once('close', () => clearInterval(timer))
}
