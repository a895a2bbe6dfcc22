import type { PipelineRequest } from '@azure/core-rest-pipeline'
import type {
  HttpOperationResponse,
  StoragePipelineOptions,
  WebResource,
} from '@azure/storage-blob'
import type { Outbound } from '../../outbound/outbound.ts'
import { pieceTimeoutMs } from '../bills/download.ts'
import { assertParsable } from '../full-page.ts'
import { maxAnswerBytes } from '../max-answer-bytes.ts'
import { refusalBody } from '../refusal-body.ts'
import { addressOf, asTransient, type AzureOrigins } from './azure-http-client.ts'

type BlobHttpClient = NonNullable<StoragePipelineOptions['httpClient']>

/** The HTTP of Azure's client of blobs over our outgoing connections. A blob comes as a stream. */
export function blobHttpClient(outbound: Outbound, origins: AzureOrigins): BlobHttpClient {
  return {
    async sendRequest(request): Promise<HttpOperationResponse> {
      const isBlob = (request.streamResponseStatusCodes?.size ?? 0) > 0
      const address = addressOf(request.url, origins)
      const asked = requestOf(request)
      try {
        const answer = isBlob
          ? await outbound.stream(address, {
              ...asked,
              timeoutMs: pieceTimeoutMs,
              maxBytes: Infinity,
            })
          : await outbound.request(address, asked)
        const { status, body } = answer
        if (Buffer.isBuffer(body)) assertParsable(body)
        const shown = Buffer.isBuffer(body)
          ? { bodyAsText: body.toString() }
          : status < 300
            ? { readableStreamBody: body }
            : { bodyAsText: (await refusalBody(body)).toString() }
        return { request, status, headers: headersOf(answer.headers), ...shown }
      } catch (error) {
        // The client passes the request itself, in the older form of its fields.
        throw asTransient(error, request as unknown as PipelineRequest)
      }
    },
  }
}

const requestOf = (request: WebResource) => ({
  use: 'billing' as const,
  method: request.method,
  headers: request.headers.toJson(),
  timeoutMs: 30_000,
  maxBytes: maxAnswerBytes,
  ...(request.abortSignal instanceof AbortSignal && { signal: request.abortSignal }),
})

/** The client asks its older form of headers for this one thing. */
function headersOf(headers: Record<string, unknown>): HttpOperationResponse['headers'] {
  const named = Object.entries(headers).map(([name, value]) => [name, String(value)])
  const toJson = () => Object.fromEntries(named) as Record<string, string>
  return { toJson } as HttpOperationResponse['headers']
}
