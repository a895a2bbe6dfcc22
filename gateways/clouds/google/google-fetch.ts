import { AppError } from '../../../domain/errors.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import { outboundFetch } from '../../outbound/outbound-fetch.ts'
import type { CloudEndpoints } from '../cloud.ts'
import { maxAnswerBytes } from '../max-answer-bytes.ts'
import { tooLarge } from '../outbound-fault.ts'

/** `fetch` for Google's library, over our outgoing connections, to the account's own endpoints where it has some. */
export function googleFetch(
  outbound: Outbound,
  endpoints: CloudEndpoints,
): typeof globalThis.fetch {
  const send = outboundFetch(outbound, {
    use: 'cloud',
    timeoutMs: 30_000,
    maxBytes: maxAnswerBytes,
  })
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    const kind = identityHosts.has(url.host)
      ? 'identity'
      : resourceHosts.has(url.host)
        ? 'resources'
        : undefined
    const endpoint = kind && endpoints[kind]
    const there =
      endpoint === undefined
        ? url.href
        : `${endpoint.replace(/\/$/, '')}${url.pathname}${url.search}`
    try {
      return await send(input instanceof Request ? new Request(there, input) : there, init)
    } catch (error) {
      const isFinal =
        error instanceof AppError && (error.fault === 'invalid' || error.code === tooLarge)
      if (!isFinal) throw error
      // The library repeats what failed without an answer, but for an error with this code.
      throw Object.assign(new Error(error.message, { cause: error }), { code: 'AbortError' })
    }
  }
}

const identityHosts = new Set([
  'oauth2.googleapis.com',
  'sts.googleapis.com',
  'iamcredentials.googleapis.com',
])
const resourceHosts = new Set(['cloudasset.googleapis.com', 'cloudresourcemanager.googleapis.com'])
