import type { FastifyInstance, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** How long the body of this route may take to arrive, where it differs from the default. */
    bodyTimeoutMs?: number
  }
}

const defaultMs = 60_000

/**
 * Ends connections whose body does not arrive in time, so that slow senders cannot hold all of them. Node's
 * own limit is one for all routes, and an upload takes longer than any other body. Requests without a body
 * need no timer: Node limits the time of their headers.
 */
export function registerBodyTimeout(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, next) => {
    const { headers, raw } = request
    if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) {
      const timer = setTimeout(() => endBody(request), timeOf(request))
      timer.unref()
      raw.once('close', () => clearTimeout(timer))
      raw.once('end', () => clearTimeout(timer))
    }
    next()
  })
}

const timeOf = ({ routeOptions }: FastifyRequest): number =>
  routeOptions.config?.bodyTimeoutMs ?? defaultMs

/** As Node does it at its own limit: api/http/refuse-connection.ts answers, where somebody can still read it. */
export function endBody({ raw, server }: Pick<FastifyRequest, 'raw' | 'server'>): void {
  if (raw.complete || raw.destroyed || !raw.socket.writable) return
  const fault = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
  server.server.emit('clientError', fault, raw.socket)
}
