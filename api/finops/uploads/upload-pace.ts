import type { FastifyRequest } from 'fastify'
import { endBody } from '../../http/body-timeout.ts'

/** Nothing is stored before the source is known, and its place is held. */
const sourceWithinMs = 10_000
/** 64 KiB/s, over a minute. */
const windowSeconds = 60
const leastBytes = windowSeconds * 64 * 1024

export type UploadPace = { sourceArrived(): void; stop(): void }

/**
 * Ends the connection of an upload that does not come on, which would hold one of few places. A second in
 * which this side does not read is not the sender's.
 */
export function watchPace(request: Pick<FastifyRequest, 'raw' | 'server'>): UploadPace {
  const { raw } = request
  let seconds = 0
  let readBefore = raw.socket.bytesRead
  const toSource = setTimeout(() => endBody(request), sourceWithinMs)
  const each = setInterval(() => {
    if (raw.isPaused() || raw.readableFlowing === false) return
    seconds += 1
    if (seconds < windowSeconds) return
    const { bytesRead } = raw.socket
    if (bytesRead - readBefore < leastBytes) endBody(request)
    seconds = 0
    readBefore = bytesRead
  }, 1_000)
  toSource.unref()
  each.unref()
  return {
    sourceArrived: () => clearTimeout(toSource),
    stop() {
      clearTimeout(toSource)
      clearInterval(each)
    },
  }
}
