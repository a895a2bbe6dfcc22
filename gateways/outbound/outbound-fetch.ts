import type { PrivateHostUse } from '../../config/outbound.ts'
import type { Outbound, OutboundResponse } from './outbound.ts'

export type OutboundFetchOptions = {
  use: PrivateHostUse
  timeoutMs?: number
  maxBytes?: number
}

/**
 * A `fetch` for client libraries, so that their calls are checked like all others and they open no sockets of
 * their own. Reads the whole answer before it returns.
 */
export function outboundFetch(
  outbound: Outbound,
  options: OutboundFetchOptions,
): typeof globalThis.fetch {
  return async (input, init) => {
    // The platform's own class normalizes what callers pass: URL, Request, FormData, streams.
    const request = new Request(input, init)
    const body = request.body === null ? undefined : Buffer.from(await request.arrayBuffer())
    const answer = await outbound.request(request.url, {
      ...options,
      method: request.method,
      headers: Object.fromEntries(request.headers),
      signal: request.signal,
      ...(body && { body }),
    })
    const bodiless = answer.status === 204 || answer.status === 205 || answer.status === 304
    const response = new Response(bodiless ? null : new Uint8Array(answer.body), {
      status: answer.status,
      headers: headersOf(answer),
    })
    // A Response made here has no address of its own, and clients need it for paging.
    return Object.defineProperty(response, 'url', { value: request.url })
  }
}

export function headersOf(answer: Pick<OutboundResponse, 'headers'>): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(answer.headers))
    for (const one of [value ?? []].flat()) headers.append(name, one)
  return headers
}
