import type { Client } from 'pg'

/**
 * Collects what is written to this connection in one turn of the event loop into one packet. A
 * write to a socket costs more than everything else this process does for a statement.
 */
export function sendTogether({ connection: { stream } }: Client): void {
  stream.cork()
  process.nextTick(() => stream.uncork())
}
