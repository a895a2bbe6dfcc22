import { Socket } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** Received to its end, so that the connection stays in use. */
const maxLeftBytes = 64 * 1_024
const lingerMs = 1_000

/**
 * Ends connections whose request was answered before its body had arrived. Node receives such a body to its end:
 * ten megabytes for each 401 or 429, for which other requests wait. The client gets a second to read the answer,
 * since TCP would take that back where a connection is closed with bytes unread.
 */
export function registerUnreadBodies(app: FastifyInstance): void {
  app.addHook('onResponse', (request, _reply, next) => {
    if (leavesLargeBody(request)) leave(request.raw.socket)
    next()
  })
}

/** Whether much of the request's body may not have arrived. */
export const leavesLargeBody = ({ raw, headers }: FastifyRequest): boolean =>
  !raw.complete && raw.socket instanceof Socket && lengthOf(headers) > maxLeftBytes

function lengthOf(headers: FastifyRequest['headers']): number {
  // A chunked body says no length.
  if (headers['transfer-encoding'] !== undefined) return Infinity
  return Number(headers['content-length'] ?? 0)
}

function leave(socket: FastifyRequest['raw']['socket']): void {
  // Node resumes the request after this event.
  setImmediate(() => socket.pause())
  setTimeout(() => socket.destroy(), lingerMs).unref()
}
