import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../../domain/errors.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose limit this request counts towards while it is answered. */
    countedFor: string | undefined
  }
}

/** Per organization and process. A page of the console asks for five things at once. */
export const organizationRequestsAtOnce = 100

/**
 * Limits how many requests of one organization are answered at once, however many tokens it has, so
 * that one organization cannot take all connections or the CPU from the others. Its agents count by themselves,
 * so that a thousand hosts do not keep its people out. Requests of runs are not counted: runs have a limit of
 * their own.
 */
export function registerRequestsInFlight(app: FastifyInstance): void {
  const counts = new Map<string, number>()
  app.decorateRequest('countedFor')
  app.addHook('onRequest', (request, _reply, next) => {
    const of = countedOf(request)
    if (of === undefined) return next()
    const count = counts.get(of.subject) ?? 0
    if (count >= organizationRequestsAtOnce)
      throw new AppError(
        'rate_limited',
        `${of.who} ${organizationRequestsAtOnce} requests under way, and no more are allowed at once. Try again in a moment.`,
        { code: 'too_many_at_once', retryAfterSeconds: 1 },
      )
    counts.set(of.subject, count + 1)
    request.countedFor = of.subject
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

function countedOf(request: FastifyRequest): { subject: string; who: string } | undefined {
  const { agentCaller } = request
  if (agentCaller)
    return {
      subject: `agents of ${agentCaller.organizationId}`,
      who: 'The agents of your organization have',
    }
  const organizationId = (request.caller ?? request.scimCaller)?.organizationId
  return organizationId === undefined
    ? undefined
    : { subject: String(organizationId), who: 'Your organization has' }
}

declare module 'fastify' {
  interface FastifyInstance {
    /** For answers that wait or last: log streams and open claims of agents, which have limits of their own. */
    leaveRequestsInFlight: (request: FastifyRequest) => void
  }
}
