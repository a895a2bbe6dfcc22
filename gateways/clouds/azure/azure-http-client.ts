import {
  createHttpHeaders,
  type HttpClient,
  type PipelineRequest,
  type PipelineResponse,
  RestError,
} from '@azure/core-rest-pipeline'
import { AppError } from '../../../domain/errors.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import { assertParsable } from '../full-page.ts'
import { maxAnswerBytes } from '../max-answer-bytes.ts'
import { tooLarge } from '../outbound-fault.ts'

export const authority = 'https://login.microsoftonline.com'
export const resourceManager = 'https://management.azure.com'

/** `signInFailure`: why the last request for a token failed. MSAL's error only says that it did. */
export type AzureHttpClient = HttpClient & { signInFailure: AppError | undefined }

/** Azure's own address of each kind → the account's endpoint for it. */
export type AzureOrigins = ReadonlyMap<string, string>

/**
 * The Azure SDK's HTTP over our outgoing connections. The SDK always names Azure's own addresses, since it
 * refuses plain http even where the operator opened it; they are replaced here.
 */
export function azureHttpClient(outbound: Outbound, origins: AzureOrigins): AzureHttpClient {
  const client = {
    signInFailure: undefined as AppError | undefined,
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
      if (isSignIn) client.signInFailure = undefined
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
