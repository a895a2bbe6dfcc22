import {
  createHttpHeaders,
  type HttpClient,
  type PipelineRequest,
  type PipelineResponse,
  RestError,
} from '@azure/core-rest-pipeline'
import { AppError } from '../../../domain/errors.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import { retryAfterSeconds } from '../../outbound/retry-after.ts'
import { CloudFault } from '../cloud-fault.ts'
import { assertParsable } from '../full-page.ts'
import { maxAnswerBytes } from '../max-answer-bytes.ts'
import { tooLarge } from '../outbound-fault.ts'

export const authority = 'https://login.microsoftonline.com'
export const resourceManager = 'https://management.azure.com'

/** `signInFailure`: why the last request for a token failed. MSAL's error only says that it did. */
export type AzureHttpClient = HttpClient & { signInFailure: AppError | CloudFault | undefined }

/** Azure's own address of each kind → the account's endpoint for it. */
export type AzureOrigins = ReadonlyMap<string, string>

/**
 * The Azure SDK's HTTP over our outgoing connections. The SDK always names Azure's own addresses, since it
 * refuses plain http even where the operator opened it; they are replaced here.
 */
export function azureHttpClient(outbound: Outbound, origins: AzureOrigins): AzureHttpClient {
  const patience = createPatience()
  const client: AzureHttpClient = {
    signInFailure: undefined,
    async sendRequest(request: PipelineRequest): Promise<PipelineResponse> {
      const isSignIn = !request.url.startsWith(resourceManager)
      const answer = await outbound
        .request(addressOf(request.url, origins), {
          use: 'cloud',
          method: request.method,
          headers: request.headers.toJSON(),
          timeoutMs: 30_000,
          maxBytes: maxAnswerBytes,
          ...(request.abortSignal instanceof AbortSignal && { signal: request.abortSignal }),
          ...(typeof request.body === 'string' && { body: request.body }),
        })
        .catch((error: unknown) => {
          if (isSignIn && error instanceof AppError) client.signInFailure = error
          throw asTransient(error, request)
        })
      const throttled = patience(request, answer)
      if (isSignIn) client.signInFailure = throttled
      if (throttled) throw throttled
      assertParsable(answer.body)
      const headers = Object.entries(answer.headers).map(([name, value]) => [name, String(value)])
      return {
        request,
        status: answer.status,
        headers: createHttpHeaders(Object.fromEntries(headers)),
        bodyAsText: answer.body.toString(),
      }
    },
  }
  return client
}

/** The SDK waits for as long as an answer asks, and the sync keeps its slot from others meanwhile. */
const patienceMs = 30_000

/** Counts how long the tries of one request are asked to wait. Past the patience, the request is throttled. */
function createPatience() {
  // The SDK repeats a request with the same object.
  const waits = new WeakMap<PipelineRequest, number>()
  return (request: PipelineRequest, answer: Answer): CloudFault | undefined => {
    if (answer.status !== 429 && answer.status !== 503) return undefined
    const waitMs = (waits.get(request) ?? 0) + askedWaitMs(answer.headers)
    waits.set(request, waitMs)
    if (waitMs <= patienceMs) return undefined
    return new CloudFault(
      'throttled',
      `Azure limits how often it may be called: it asks to wait for ${Math.ceil(waitMs / 1_000)} s.`,
    )
  }
}

type Answer = { status: number; headers: Readonly<Record<string, unknown>> }

/** As the SDK reads it: the first of these headers that is a number, or a date (RFC 9110, 10.2.3). */
function askedWaitMs(headers: Answer['headers']): number {
  for (const [name, unitMs] of retryHeaders) {
    const text = headers[name]
    const wait = text === undefined ? Number.NaN : Number(text)
    if (!Number.isNaN(wait)) return Math.max(0, wait * unitMs)
  }
  const asked = headers['retry-after']
  return typeof asked === 'string' ? (retryAfterSeconds(asked) ?? 0) * 1_000 : 0
}

const retryHeaders = [
  ['retry-after-ms', 1],
  ['x-ms-retry-after-ms', 1],
  ['retry-after', 1_000],
] as const

export function addressOf(text: string, origins: AzureOrigins): URL {
  const url = new URL(text)
  // The SDK names a region's authority where AZURE_REGIONAL_AUTHORITY_NAME of this process tells it to.
  if (url.host.endsWith('.login.microsoft.com')) {
    url.host = new URL(authority).host
    url.pathname = url.pathname.replace(/\/$/, '')
  }
  const endpoint = origins.get(url.origin)
  return endpoint === undefined
    ? url
    : new URL(`${endpoint.replace(/\/$/, '')}${url.pathname}${url.search}`)
}

/** The SDK repeats an error with this code; an address that is not allowed stays what it is. */
export function asTransient(error: unknown, request: PipelineRequest): unknown {
  if (!(error instanceof AppError) || error.fault !== 'unavailable') return error
  if (error.code === tooLarge) return error
  const transient = new RestError(error.message, { code: 'ECONNRESET', request })
  transient.cause = error
  return transient
}
