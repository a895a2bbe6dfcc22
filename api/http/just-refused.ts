import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { hashCredential } from '../../domain/access/credentials.ts'
import { AppError } from '../../domain/errors.ts'
import { sessionCookieOf } from './https.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Refused without its credential being looked up, because the same was refused just before. */
    justRefused: boolean
  }
}

export type JustRefused = {
  /** Throws the refusal that this credential got on this route within the last second. */
  assertNot(request: FastifyRequest, reply: FastifyReply): void
}

/** No longer than the shortest `Retry-After`. */
const keptMs = 1_000
const keptAtMost = 10_000
/** Limits of the caller's own, and not of the organization, which may have room again at any moment. */
const codes = new Set(['rate_limited', 'too_many_streams'])
const headers = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'ratelimit-policy']

type Refusal = { error: AppError; headers: Record<string, unknown>; until: number }

/**
 * Repeats a 429 to a credential for a second without a statement: a client in a loop costs the database and the other
 * callers one look-up a second. A credential that is revoked meanwhile gets the 429 and then the 401.
 */
export function rememberRefusals(app: FastifyInstance): JustRefused {
  const kept = new Map<string, Refusal>()
  app.decorateRequest('justRefused', false)
  app.addHook('onError', async (request, reply, error) => {
    if (!(error instanceof AppError) || !codes.has(error.code) || !request.caller) return
    const key = keyOf(request)
    if (key === undefined) return
    if (kept.size >= keptAtMost) kept.clear()
    const told = Object.fromEntries(headers.map((name) => [name, reply.getHeader(name)]))
    kept.set(key, { error, headers: told, until: Date.now() + keptMs })
  })
  return {
    assertNot(request, reply) {
      if (kept.size === 0) return
      const key = keyOf(request)
      const refusal = key === undefined ? undefined : kept.get(key)
      if (key === undefined || !refusal) return
      if (Date.now() >= refusal.until) {
        kept.delete(key)
        return
      }
      request.justRefused = true
      for (const [name, value] of Object.entries(refusal.headers))
        if (value !== undefined) void reply.header(name, value)
      throw refusal.error
    },
  }
}

/** A route's streams and its pages have limits of their own, and are told apart by what is accepted. */
function keyOf({ headers: sent, cookies, method, routeOptions, server }: FastifyRequest) {
  const credential = sent.authorization ?? cookies[sessionCookieOf(server.deps.config)]
  if (credential === undefined) return undefined
  const accept = (sent.accept ?? '').slice(0, 100)
  return `${hashCredential(credential).toString('base64')} ${method} ${routeOptions.url} ${accept}`
}
