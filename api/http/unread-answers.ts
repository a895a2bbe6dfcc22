import { Socket } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../../domain/errors.ts'

type Limits = {
  /** Of the whole answers of one organization that its clients have not read yet; a larger one is sent alone. */
  maxBytes: number
  /** How long a client may read nothing of an answer. */
  stalledMs: number
  /** The same for an answer that is made while it is sent, where the client may be the one who waits. */
  stalledStreamMs: number
}

const usual: Limits = { maxBytes: 16 * 1_048_576, stalledMs: 60_000, stalledStreamMs: 300_000 }
/** Shorter answers fit into the buffers of the connection. */
const minBytes = 65_536

/**
 * Bounds what clients that do not read their answers hold in this process: an answer is in memory until the last of it
 * is sent. An organization above its share is refused, and a connection on which nothing moves is ended.
 */
export function registerUnreadAnswers(app: FastifyInstance, limits: Limits = usual): void {
  const unread = new Map<string, number>()
  // oxlint-disable-next-line max-params -- a hook's own arguments
  app.addHook('onSend', (request, reply, payload, next) => {
    const bytes = bytesOf(payload)
    if (bytes < minBytes || reply.raw.destroyed) return next(null, payload)
    limitStall(request, bytes === Infinity ? limits.stalledStreamMs : limits.stalledMs)
    const subject = subjectOf(request)
    // A stream holds no more than its buffers.
    if (bytes === Infinity || subject === undefined) return next(null, payload)
    const before = unread.get(subject) ?? 0
    // What has changed something is answered: who is told to try again would do it twice.
    if (request.method === 'GET' && before > 0 && before + bytes > limits.maxBytes) {
      void reply.removeHeader('etag').header('cache-control', 'no-store')
      return next(tooMuchUnread())
    }
    unread.set(subject, before + bytes)
    reply.raw.once('close', () => {
      const left = (unread.get(subject) ?? bytes) - bytes
      if (left > 0) unread.set(subject, left)
      else unread.delete(subject)
    })
    next(null, payload)
  })
}

/** Infinity for a stream. A text has at least as many bytes as characters. */
function bytesOf(payload: unknown): number {
  if (typeof payload === 'string' || Buffer.isBuffer(payload)) return payload.length
  return typeof payload === 'object' && payload !== null && 'pipe' in payload ? Infinity : 0
}

/** People and their programs, the identity provider and the agents of an organization count by themselves. */
function subjectOf({ caller, agentCaller, scimCaller }: FastifyRequest): string | undefined {
  if (agentCaller) return `agents of ${agentCaller.organizationId}`
  if (scimCaller) return `provisioning of ${scimCaller.organizationId}`
  return caller && `people of ${caller.organizationId}`
}

/**
 * Node ends the connection then, and sets the time of its next request itself. The answer has no connection yet where
 * it waits for that of an earlier request.
 */
function limitStall({ raw }: FastifyRequest, ms: number): void {
  if (raw.socket instanceof Socket) raw.socket.setTimeout(ms)
}

const tooMuchUnread = (): AppError =>
  new AppError(
    'rate_limited',
    'Your organization has not read 16 MiB of earlier answers yet. Read them, then try again.',
    { code: 'too_many_at_once', retryAfterSeconds: 1 },
  )
