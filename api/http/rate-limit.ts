import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { rateLimitKinds, type RateLimitKind } from '../../config/server.ts'
import { addressSubject } from '../../domain/access/address-subject.ts'
import { requestWindow, windowSeconds } from '../../domain/access/request-window.ts'
import { AppError } from '../../domain/errors.ts'
import { requestCounts } from '../../store/platform/request-counts.ts'
import type { Deps } from '../deps.ts'
import { leavesLargeBody } from './unread-bodies.ts'

declare module 'fastify' {
  interface FastifyInstance {
    rateLimits: RateLimits
  }
}

export type RateLimits = {
  /** Counts a request of a credential; throws 429 above the limit. */
  take(reply: FastifyReply, kind: RateLimitKind, subject: string): void
  /** Counts a request without a valid credential. */
  takeAddress(request: FastifyRequest, reply: FastifyReply): void
  /**
   * Counts a delivery whose signature was right under its connection, as much as a token may send, and no longer under
   * the address: a Git host delivers for all organizations from a few of them.
   */
  takeDelivery(request: FastifyRequest, reply: FastifyReply, connectionId: number): void
  /** Exchanges counts with the other processes. */
  sync(): Promise<void>
}

const syncMs = 1_000

/** Counts below this part of their limit are not exchanged. */
const toldFromPart = 1 / 20

/**
 * A client that sends its next request as soon as the last was refused gets so few refusals that
 * they cost other callers nothing. Refusals beyond `slowAtMost` at once are answered immediately.
 */
const slowByMs = 1_000
const slowAtMost = 200

/** Health checks: orchestrators and load balancers send many from one address. */
const unlimited = new Set(['/healthz', '/readyz'])

/**
 * Limits requests a minute per session, token and address. A request costs one lookup in a map and
 * no statement; the processes exchange large counts once a second (docs/decisions/0040-rate-limits.md).
 */
export function registerRateLimits(app: FastifyInstance, deps: Deps): RateLimits {
  const limits = deps.config.rateLimits
  const requests = requestWindow()
  const shared = requestCounts(deps.store.platform)
  const limitOf = (subject: string): number => {
    // A subject begins with its kind. During a flood subjects are pooled, and count as addresses.
    const kind = subject.slice(0, subject.indexOf(' '))
    return limits[rateLimitKinds.find((one) => one === kind) ?? 'address']
  }

  const take: RateLimits['take'] = (reply, kind, subject) => {
    const verdict = requests.take(`${kind} ${subject}`, limits[kind], Date.now())
    // The fields of the IETF's draft (draft-ietf-httpapi-ratelimit-headers-06), seconds and requests.
    void reply.headers({
      'ratelimit-limit': verdict.limit,
      'ratelimit-remaining': verdict.remaining,
      'ratelimit-reset': verdict.resetSeconds,
      'ratelimit-policy': `${verdict.limit};w=${windowSeconds}`,
    })
    if (verdict.allowed) return
    throw new AppError(
      'rate_limited',
      `${kind === 'agents' ? 'The agents of your organization sent more' : 'More'} than ${verdict.limit} requests in ${windowSeconds} seconds. Wait and try again.`,
      {
        code: 'rate_limited',
        retryAfterSeconds: verdict.retryAfterSeconds,
      },
    )
  }

  const rateLimits: RateLimits = {
    take,
    takeAddress(request, reply) {
      if (unlimited.has(request.routeOptions.url ?? '')) return
      take(reply, 'address', addressSubject(request.ip))
    },
    takeDelivery(request, reply, connectionId) {
      requests.giveBack(`address ${addressSubject(request.ip)}`)
      take(reply, 'token', `webhook:${connectionId}`)
    },
    async sync() {
      const told = requests.tell((subject) => Math.max(1, limitOf(subject) * toldFromPart))
      if (told.length === 0) return
      for (const { subject, minute, count } of await shared.add(told))
        requests.learn(subject, minute, count)
      const oldest = Math.min(...told.map(({ minute }) => minute))
      await shared.forget(oldest - 2)
    },
  }

  slowRefusals(app)
  const timer = setInterval(() => {
    // While the database is down each process counts for itself.
    rateLimits.sync().catch((error: unknown) => deps.log.debug({ err: error }, 'counts not shared'))
  }, syncMs)
  timer.unref()
  app.addHook('onClose', async () => clearInterval(timer))
  app.decorate('rateLimits', rateLimits)
  return rateLimits
}

/**
 * Delays the refusals of callers that are known by their address alone, and of bodies that have not arrived yet: to
 * receive the rest of such a body costs more than to refuse it.
 */
function slowRefusals(app: FastifyInstance): void {
  let slowed = 0
  app.addHook('onError', async (request, _reply, error) => {
    if (slowed >= slowAtMost || !isSlow(request, error)) return
    slowed += 1
    try {
      await sleep(slowByMs, undefined, { ref: false })
    } finally {
      slowed -= 1
    }
  })
}

function isSlow(request: FastifyRequest, error: FastifyError): boolean {
  const { caller, runCaller, scimCaller, agentCaller, justRefused } = request
  const isKnown = Boolean(caller || runCaller || scimCaller || agentCaller || justRefused)
  const isOfAddress = !isKnown && error.code === 'rate_limited'
  if (isOfAddress) return true
  const isLimited = error instanceof AppError && error.fault === 'rate_limited'
  return (isLimited || !isKnown || error.statusCode === 413) && leavesLargeBody(request)
}
