import { readFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import { createSecureContext, getCACertificates } from 'node:tls'
import type { PrivateHostUse } from '../../config/outbound.ts'
import { unavailable } from '../../domain/errors.ts'
import { type ConnectionPool, createConnectionPool } from './connection-pool.ts'
import { followRedirect } from './follow-redirect.ts'
import { createKeyedTurns } from './keyed-turns.ts'
import type { Address } from './look-up-name.ts'
import { type ResolveRules, resolveTarget, type Target } from './resolve-target.ts'
import { type Hop, type HopAnswer, sendRequest } from './send-request.ts'

export type OutboundRequest = {
  use: PrivateHostUse
  method?: string
  headers?: Readonly<Record<string, string>>
  body?: string | Buffer
  /** From the DNS look-up to the last byte of the answer, redirects included. */
  timeoutMs?: number
  /** An answer larger than this is an error, never a cut body. */
  maxBytes?: number
  /** 0 returns a 3xx as it is. */
  maxRedirects?: number
  signal?: AbortSignal
}

export type OutboundResponse = { status: number; headers: IncomingHttpHeaders; body: Buffer }
export type OutboundStream = { status: number; headers: IncomingHttpHeaders; body: Readable }

/**
 * All calls to addresses that a user, a document or a remote answer chose: https to public addresses alone,
 * except for what `CC_PRIVATE_HOSTS` opens. Failures are `AppError`s with fixed texts, because a socket's error
 * would tell an attacker which port is open.
 */
export interface Outbound {
  readonly rules: ResolveRules
  /**
   * Whether a target may be connected to, before it is saved. Of one organization four are looked up at once, and
   * none longer than 5 s.
   */
  resolvePublic(
    target: Target,
    by: { organizationId: number; signal?: AbortSignal },
  ): Promise<Address[]>
  request(url: string | URL, options: OutboundRequest): Promise<OutboundResponse>
  /** As `request`, with the body as a stream; the caller must read or destroy it. */
  stream(url: string | URL, options: OutboundRequest): Promise<OutboundStream>
  /**
   * The same over connections of its own that stay open between requests, until `close`. For requests that may
   * be sent twice: one that meets a connection which the host has just closed is repeated. One user each, so
   * that no host can leave an answer on a connection for another user's request.
   */
  keep(): KeptOutbound
}

export type KeptOutbound = Outbound & { close(): void }

const checksOfOrganization = 4
const checkTimeoutMs = 5_000

export function createOutbound(
  options: ResolveRules & { extraCaFile?: string | undefined },
): Outbound {
  const { privateHosts, nameServers, lookup } = options
  const rules: ResolveRules = { privateHosts, nameServers, lookup }
  const checks = createKeyedTurns(checksOfOrganization)
  const secureContext = createSecureContext({ ca: trustedAuthorities(options.extraCaFile) })

  const streamOver = async (
    pool: ConnectionPool | undefined,
    url: string | URL,
    request: OutboundRequest,
  ): Promise<OutboundStream> => {
    const timeoutMs = request.timeoutMs ?? 30_000
    const deadline = AbortSignal.timeout(timeoutMs)
    const signal = request.signal ? AbortSignal.any([request.signal, deadline]) : deadline
    const maxRedirects = request.maxRedirects ?? 5
    let hop = firstHop(url, request)

    for (let followed = 0; ; followed += 1) {
      const answer = await sendRequest(hop, {
        rules,
        secureContext,
        signal,
        maxBytes: request.maxBytes ?? 10 * 1024 * 1024,
        timeoutMs,
        pool,
      })
      const next = maxRedirects > 0 ? await nextHop(hop, answer, { rules, signal }) : undefined
      if (!next) return answer
      if (followed >= maxRedirects)
        throw unavailable('too_many_redirects', 'The host redirected too many times')
      hop = next
    }
  }

  const over = (pool?: ConnectionPool): Outbound => ({
    rules,
    stream: async (url, request) => streamOver(pool, url, request),
    resolvePublic: (target, { organizationId, signal }) => {
      const limit = AbortSignal.timeout(checkTimeoutMs)
      return resolveTarget(target, rules, {
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
        turn: (until) => checks.turn(String(organizationId), until),
      })
    },
    async request(url, request) {
      const { status, headers, body } = await streamOver(pool, url, request)
      // The body only ends with an AppError: send-request.ts has translated it.
      const chunks: Buffer[] = []
      for await (const chunk of body) chunks.push(Buffer.from(chunk))
      return { status, headers, body: Buffer.concat(chunks) }
    },
    keep() {
      const own = createConnectionPool()
      return { ...over(own), close: () => own.close() }
    },
  })
  return over()
}

/** Where the answer redirects to. Nothing reads the body of a redirect, and not of a refused one either. */
async function nextHop(
  hop: Hop,
  answer: HopAnswer,
  options: { rules: ResolveRules; signal: AbortSignal },
): Promise<Hop | undefined> {
  try {
    const next = await followRedirect(hop, answer, options)
    if (next) answer.body.destroy()
    return next
  } catch (error) {
    answer.body.destroy()
    throw error
  }
}

function firstHop(url: string | URL, request: OutboundRequest) {
  return {
    url: new URL(url),
    use: request.use,
    method: request.method ?? 'GET',
    headers: Object.fromEntries(
      Object.entries(request.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
    ),
    body: request.body,
  }
}

function trustedAuthorities(extraCaFile: string | undefined): string[] {
  const authorities = [...getCACertificates('default'), ...getCACertificates('system')]
  if (extraCaFile) authorities.push(readFileSync(extraCaFile, 'utf8'))
  return [...new Set(authorities)]
}
