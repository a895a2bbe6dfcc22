import type { Client } from 'pg'

/**
 * What is asked on this connection until nobody has more to ask leaves in one packet, at the end
 * of this turn: a write to a socket costs more than all else that this process does for a statement.
 */
export function sendTogether({ connection: { stream } }: Client): void {
  stream.cork()
  process.nextTick(() => stream.uncork())
}
