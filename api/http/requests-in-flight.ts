import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../../domain/errors.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The organization that this request is counted for while it is answered. */
    countedFor: number | undefined
  }
}

/** Of one organization in one process. A console's page asks for five things at once. */
export const organizationRequestsAtOnce = 100

/**
 * Bounds how many requests of one organization are answered at once, whatever number of
 * tokens it has: what waits for a connection or the CPU is then mostly others' own. The
 * requests of runs are not counted, since runs have a bound of their own.
 */
export function registerRequestsInFlight(app: FastifyInstance): void {
  const counts = new Map<number, number>()
  app.decorateRequest('countedFor')
  app.addHook('onRequest', (request, _reply, next) => {
    const organizationId = (request.caller ?? request.scimCaller)?.organizationId
    if (organizationId === undefined) return next()
    const count = counts.get(organizationId) ?? 0
    if (count >= organizationRequestsAtOnce)
      throw new AppError(
        'rate_limited',
        `Your organization has ${organizationRequestsAtOnce} requests under way, and no more are allowed at once. Try again in a moment.`,
        { code: 'too_many_at_once', retryAfterSeconds: 1 },
      )
    counts.set(organizationId, count + 1)
    request.countedFor = organizationId
    next()
  })
  const leave = (request: FastifyRequest) => {
    const { countedFor } = request
    if (countedFor === undefined) return
    request.countedFor = undefined
    const left = (counts.get(countedFor) ?? 1) - 1
    if (left > 0) counts.set(countedFor, left)
    else counts.delete(countedFor)
  }
  app.decorate('leaveRequestsInFlight', leave)
  app.addHook('onResponse', (request, _reply, next) => {
    leave(request)
    next()
  })
}

declare module 'fastify' {
  interface FastifyInstance {
    /** For what is answered for hours: log streams, which have a bound of their own. */
    leaveRequestsInFlight: (request: FastifyRequest) => void
  }
}
