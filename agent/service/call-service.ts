import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'

export type Answer = {
  status: number
  /** `code` of an error; empty otherwise. */
  code: string
  body: Record<string, unknown>
  /** The service's own clock, in milliseconds. */
  dateMs: number | undefined
  retryAfterMs: number
}

type Call = {
  method: 'GET' | 'POST'
  path: string
  token: string
  body?: unknown
  headers?: Record<string, string>
  signal: AbortSignal
  /** Ends a call whose connection is silent for so long. */
  silentMs: number
}

export type Connection = {
  call(call: Call): Promise<Answer>
  /** The answer's bytes are read by the caller, who ends it by `destroy`. */
  open(call: Call): Promise<IncomingMessage>
  close(): void
}

/** The service could not be asked, or has a fault of its own. It is asked again. */
export class ServiceAway extends Error {
  readonly retryAfterMs: number

  constructor(message: string, retryAfterMs = 0) {
    super(message)
    this.retryAfterMs = retryAfterMs
  }
}

/** The service cannot read what was sent, so the same is refused again. Every other refusal may end. */
export const neverTaken: ReadonlySet<number> = new Set([400, 413])

const protocol = '1'
/** A claim has the provenance, 50 keys with their endorsements and the variables. */
const maxAnswerBytes = 8 * 1024 * 1024
const mostRetryAfterMs = 60_000

/** HTTP to the service alone, on connections that are kept. Redirects are not followed: the token is for one host. */
export function connectService({
  url,
  ca,
  version,
}: {
  url: string
  ca: string | undefined
  version: string
}): Connection {
  const isTls = url.startsWith('https:')
  const options = { keepAlive: true, maxSockets: 8 }
  const agent = isTls ? new HttpsAgent({ ...options, ...(ca && { ca }) }) : new HttpAgent(options)
  const request = isTls ? httpsRequest : httpRequest

  const open = async ({ method, path, token, body, headers, signal, silentMs }: Call) => {
    const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
    return new Promise<IncomingMessage>((resolve, reject) => {
      const out = request(
        `${url}${path}`,
        {
          method,
          agent,
          signal,
          headers: {
            authorization: `Bearer ${token}`,
            'cc-agent-protocol': protocol,
            'cc-agent-version': version,
            'user-agent': `cloud-control-agent/${version}`,
            accept: 'application/json',
            ...(payload && {
              'content-type': 'application/json',
              'content-length': String(payload.length),
            }),
            ...headers,
          },
        },
        resolve,
      )
      out.setTimeout(silentMs, () => out.destroy(new ServiceAway('the connection is silent')))
      out.once('error', (error) => reject(asAway(error, signal)))
      out.end(payload)
    })
  }

  return {
    open,
    async call(call) {
      const message = await open(call)
      try {
        return await readAnswer(message)
      } catch (error) {
        throw asAway(error, call.signal)
      }
    },
    close: () => agent.destroy(),
  }
}

/** Also of a download that was refused, whose body is an error in JSON. */
export async function readAnswer(message: IncomingMessage): Promise<Answer> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of message as AsyncIterable<Buffer>) {
    length += part.length
    if (length > maxAnswerBytes) throw new ServiceAway('the answer is too long')
    parts.push(part)
  }
  const status = message.statusCode ?? 0
  const retryAfterMs = Math.min(
    Number(message.headers['retry-after']) * 1_000 || 0,
    mostRetryAfterMs,
  )
  const body = parsed(Buffer.concat(parts).toString())
  if (status >= 500 || status === 429 || status === 408)
    throw new ServiceAway(`the service answered ${status}`, retryAfterMs)
  const date = Date.parse(message.headers.date ?? '')
  return {
    status,
    code: typeof body['code'] === 'string' ? body['code'] : '',
    body,
    dateMs: Number.isNaN(date) ? undefined : date,
    retryAfterMs,
  }
}

function parsed(text: string): Record<string, unknown> {
  if (text === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  } catch {
    // A proxy on the way answers HTML.
  }
  throw new ServiceAway('the answer is no JSON')
}

function asAway(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason
  if (error instanceof ServiceAway) return error
  const { code, message } = error as NodeJS.ErrnoException
  return new ServiceAway(code ?? message)
}
