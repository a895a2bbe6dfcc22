import type { AuthClient } from 'google-auth-library'
import type { KeptOutbound } from '../../outbound/outbound.ts'
import type { CloudDeps, GoogleTarget } from '../cloud.ts'
import { CloudFault } from '../cloud-fault.ts'
import { googleCredentials } from './google-credentials.ts'
import { googleFetch } from './google-fetch.ts'
import { googleFault } from './google-refusal.ts'

export type GoogleCall = {
  url: string
  /** The right that the call needs. */
  action: string
  query?: Record<string, string>
  /** Sent as JSON, by POST. */
  body?: object
  signal?: AbortSignal | undefined
}

export type GoogleSession = {
  target: GoogleTarget
  /** `projects/<id>`, `folders/<n>` or `organizations/<n>`. */
  scope: string
  call(asked: GoogleCall): Promise<Record<string, unknown>>
  token(): Promise<string>
}

export function googleSession(
  target: GoogleTarget,
  deps: CloudDeps,
  kept: KeptOutbound,
): GoogleSession {
  let opened: Promise<AuthClient> | undefined
  const client = async () =>
    (opened ??= googleCredentials(target.credentials, deps, googleFetch(kept, target.endpoints)))

  return {
    target,
    scope: /^(?:folders|organizations)\//.test(target.accountId)
      ? target.accountId
      : `projects/${target.accountId}`,
    async call({ url, action, query, body, signal }) {
      try {
        const { data } = await (
          await client()
        ).request<unknown>({
          url,
          ...(query && { params: query }),
          ...(body && { method: 'POST', data: body }),
          ...(signal && { signal }),
          retry: true,
          retryConfig,
        })
        if (typeof data === 'object' && data !== null) return { ...data }
        throw new CloudFault('unreachable', `Google's answer to ${action} cannot be read.`)
      } catch (error) {
        throw googleFault(error, action)
      }
    },
    async token() {
      try {
        const { token } = await (await client()).getAccessToken()
        if (token) return token
        throw new CloudFault('credentials', 'Google gave no token for the credentials.')
      } catch (error) {
        throw googleFault(error, 'a token')
      }
    },
  }
}

/** All calls only read, so a POST may be sent twice as well. Waits 1 s, 2 s, 4 s … at most 32 s. */
const retryConfig = {
  retry: 6,
  noResponseRetries: 3,
  retryDelay: 1_000,
  maxRetryDelay: 32_000,
  httpMethodsToRetry: ['GET', 'POST'],
  statusCodesToRetry: [
    [429, 429],
    [500, 599],
  ],
}
