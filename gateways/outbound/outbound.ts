import { readFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import { createSecureContext, getCACertificates } from 'node:tls'
import type { PrivateHost, PrivateHostUse } from '../../config/outbound.ts'
import { unavailable } from '../../domain/errors.ts'
import { followRedirect } from './follow-redirect.ts'
import { type Address, type ResolveRules, resolveTarget } from './resolve-target.ts'
import { sendRequest } from './send-request.ts'

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
  resolvePublic(host: string, port: number, use: PrivateHostUse): Promise<Address[]>
  request(url: string | URL, options: OutboundRequest): Promise<OutboundResponse>
  /** As `request`, with the body as a stream; the caller must read or destroy it. */
  stream(url: string | URL, options: OutboundRequest): Promise<OutboundStream>
}

export function createOutbound(options: {
  privateHosts: readonly PrivateHost[]
  extraCaFile?: string | undefined
  lookup?: (host: string) => Promise<Address[]>
}): Outbound {
  const { privateHosts, lookup } = options
  const rules: ResolveRules = lookup ? { privateHosts, lookup } : { privateHosts }
  const secureContext = createSecureContext({ ca: trustedAuthorities(options.extraCaFile) })

  const stream: Outbound['stream'] = async (url, request) => {
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
      })
      const next = maxRedirects > 0 ? followRedirect(hop, answer) : undefined
      if (!next) return answer
      answer.body.destroy()
      if (followed >= maxRedirects)
        throw unavailable('too_many_redirects', 'The host redirected too many times')
      hop = next
    }
  }

  return {
    rules,
    stream,
    resolvePublic: (host, port, use) => resolveTarget({ host, port, use }, rules),
    async request(url, request) {
      const { status, headers, body } = await stream(url, request)
      // The body only ends with an AppError: send-request.ts has translated it.
      const chunks: Buffer[] = []
      for await (const chunk of body) chunks.push(Buffer.from(chunk))
      return { status, headers, body: Buffer.concat(chunks) }
    },
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
