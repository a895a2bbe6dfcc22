import type { FastifyReply } from 'fastify'

const everyMs = 60_000
/** About 17 KB a second. */
const leastBytes = 1024 ** 2

/**
 * Ends an answer whose client takes less than 1 MiB in a minute, so that nobody holds one of the organization's
 * places with a connection that reads nothing. A large answer to a client that does read has no end in time.
 */
export function cutOffWhenStalled({ raw }: FastifyReply): void {
  // Its `close` has been emitted already, so the timer would not be cleared.
  if (raw.destroyed) return
  const { socket } = raw
  let before = socket?.bytesWritten ?? 0
  const timer = setInterval(() => {
    // Counts what waits in the socket too, so that is taken off.
    const taken = (socket?.bytesWritten ?? 0) - (socket?.writableLength ?? 0)
    if (taken - before < leastBytes) raw.destroy()
    before = taken
  }, everyMs).unref()
  raw.once('close', () => clearInterval(timer)).once('finish', () => clearInterval(timer))
}
