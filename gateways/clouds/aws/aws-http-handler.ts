import type { HttpRequest, HttpResponse, RequestHandler } from '@smithy/types'
import type { PrivateHostUse } from '../../../config/outbound.ts'
import { AppError } from '../../../domain/errors.ts'
import type { Outbound, OutboundStream } from '../../outbound/outbound.ts'
import { pieceTimeoutMs } from '../bills/download.ts'
import { assertParsable } from '../full-page.ts'
import { maxAnswerBytes } from '../max-answer-bytes.ts'
import { tooLarge } from '../outbound-fault.ts'
import { refusalBody } from '../refusal-body.ts'

type Handler = RequestHandler<HttpRequest, HttpResponse, { abortSignal?: unknown }>

/** The AWS SDK's HTTP over our outgoing connections, in place of its own sockets. */
export function awsHttpHandler(outbound: Outbound, isOwnEndpoint: boolean): Handler {
  return {
    metadata: { handlerProtocol: 'http/1.1' },
    async handle(request, options) {
      const asked = { ...requestOf(request, options?.abortSignal), use: 'cloud' as const }
      const answer = await outbound.request(addressOf(request), asked).catch(throwAsTransient)
      assertParsable(answer.body)
      const response = { statusCode: answer.status, headers: headersOf(answer) }
      const refusal = isOwnEndpoint || answer.status < 500 ? asJson(request, answer) : undefined
      return { response: { ...response, body: answer.body, ...refusal } }
    },
  }
}

export type S3Requests = {
  use: PrivateHostUse
  /** From the look-up of the name to the last byte. */
  fileTimeoutMs: number
  /** Of everything but a file. */
  timeoutMs: number
}

const ofBills: S3Requests = { use: 'billing', fileTimeoutMs: pieceTimeoutMs, timeoutMs: 30_000 }

/** The same for S3, by default a bill's storage, which sends a file (GetObject) as a stream that has a time of its own. */
export function s3HttpHandler(
  outbound: Outbound,
  { use, fileTimeoutMs, timeoutMs }: S3Requests = ofBills,
): Handler {
  return {
    metadata: { handlerProtocol: 'http/1.1' },
    async handle(request, options) {
      const isFile = request.query?.['x-id'] === 'GetObject'
      const asked = { ...requestOf(request, options?.abortSignal), timeoutMs, use }
      const answer = isFile
        ? await outbound
            .stream(addressOf(request), { ...asked, timeoutMs: fileTimeoutMs, maxBytes: Infinity })
            .catch(throwAsTransient)
        : await outbound.request(addressOf(request), asked).catch(throwAsTransient)
      if (Buffer.isBuffer(answer.body)) assertParsable(answer.body)
      const { status: statusCode, body: sent } = answer
      // The SDK reads all of a refusal, of whatever size.
      const isRefusal = statusCode >= 300 && !Buffer.isBuffer(sent)
      const body = isRefusal ? await refusalBody(sent).catch(throwAsTransient) : sent
      return { response: { statusCode, headers: headersOf(answer), body } }
    },
  }
}

const requestOf = (request: HttpRequest, signal: unknown) => ({
  method: request.method,
  headers: request.headers,
  timeoutMs: 30_000,
  maxBytes: maxAnswerBytes,
  ...(signal instanceof AbortSignal && { signal }),
  ...(request.body !== undefined && { body: bytesOf(request.body) }),
})

const headersOf = ({ headers }: Pick<OutboundStream, 'headers'>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))

function addressOf({ protocol, hostname, port, path, query = {} }: HttpRequest): URL {
  const url = new URL(`${protocol}//${hostname}${port ? `:${port}` : ''}${path}`)
  for (const [name, values] of Object.entries(query))
    for (const value of [values ?? ''].flat()) url.searchParams.append(name, value)
  return url
}

function bytesOf(body: unknown): string | Buffer {
  if (typeof body === 'string') return body
  if (!(body instanceof Uint8Array)) return ''
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength)
}

/** The SDK repeats what has this name; an address that is not allowed stays what it is. */
function throwAsTransient(error: unknown): never {
  if (!(error instanceof AppError) || error.fault !== 'unavailable') throw error
  if (error.code === tooLarge) throw error
  throw Object.assign(new Error(error.message, { cause: error }), { name: 'TimeoutError' })
}

/**
 * A refusal of a JSON service in another language: front ends and compatible services answer in XML, or in
 * HTML where they lack the service. The SDK would only report that it is no JSON.
 */
function asJson(
  request: HttpRequest,
  answer: { status: number; body: Buffer },
): Pick<HttpResponse, 'statusCode' | 'body'> | undefined {
  const type = Object.entries(request.headers).find(([name]) => /^content-type$/i.test(name))?.[1]
  const text = answer.body.subarray(0, 65_536).toString()
  if (answer.status < 400 || !/json/.test(type ?? '') || !/^\s*</.test(text)) return undefined
  const code = /<Code>([A-Za-z.]{1,100})<\/Code>/.exec(text)?.[1]
  const message = /<Message>([^<]{0,2000})<\/Message>/.exec(text)?.[1]
  const refusal = { __type: code ?? 'NotImplemented', message: message ?? '' }
  const statusCode = code === undefined ? 501 : answer.status
  return { statusCode, body: Buffer.from(JSON.stringify(refusal)) }
}
