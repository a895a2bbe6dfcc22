import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../../domain/errors.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The organization whose limit this request counts towards while it is answered. */
    countedFor: number | undefined
  }
}

/** Per organization and process. A page of the console asks for five things at once. */
export const organizationRequestsAtOnce = 100

/**
 * Limits how many requests of one organization are answered at once, however many tokens it has, so
 * that one organization cannot take all connections or the CPU from the others. Requests of runs are
 * not counted: runs have a limit of their own.
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
  // A request counts until its handler has ended, so that disconnecting frees no place early.
  app.whenOver(leave)
}

declare module 'fastify' {
  interface FastifyInstance {
    /** For answers that last for hours: log streams, which have a limit of their own. */
    leaveRequestsInFlight: (request: FastifyRequest) => void
  }
}
