import { Socket } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** Received without being counted, so that the connection stays in use. */
const maxLeftBytes = 64 * 1_024
/** Above what any JSON body may have: some clients read no answer before they have sent all. */
const maxReceivedBytes = 16 * 1_048_576
const lookEveryMs = 50

/**
 * Ends connections whose request was answered before its body had arrived, once 16 MiB have come: Node receives such
 * a body to its end, however long it is.
 */
export function registerUnreadBodies(app: FastifyInstance): void {
  app.addHook('onResponse', (request, _reply, next) => {
    if (leavesLargeBody(request)) boundRest(request.raw)
    next()
  })
}

/** Whether much of the request's body may not have arrived. */
export const leavesLargeBody = ({ raw, headers }: FastifyRequest): boolean =>
  !raw.complete && raw.socket instanceof Socket && lengthOf(headers) > maxLeftBytes

/** How many bytes the body will have, as its sender says; Infinity where the sender does not say. */
export function lengthOf(headers: FastifyRequest['headers']): number {
  // A chunked body says no length.
  if (headers['transfer-encoding'] !== undefined) return Infinity
  return Number(headers['content-length'] ?? 0)
}

function boundRest(raw: FastifyRequest['raw']): void {
  const { socket } = raw
  const mayRead = socket.bytesRead + maxReceivedBytes
  const timer = setInterval(() => {
    if (!raw.complete && socket.bytesRead > mayRead) socket.destroy()
    if (raw.complete || socket.destroyed) clearInterval(timer)
  }, lookEveryMs).unref()
}
