import {
  request as httpRequest,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http'
import { isIP, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { connect as tlsConnect, type SecureContext } from 'node:tls'
import type { PrivateHostUse } from '../../config/outbound.ts'
import { AppError, unavailable } from '../../domain/errors.ts'
import { connectTarget } from './connect-target.ts'
import type { ConnectionPool, KeptRequest } from './connection-pool.ts'
import { resolveTarget, type ResolveRules, type Target, targetOf } from './resolve-target.ts'

export type Hop = {
  url: URL
  use: PrivateHostUse
  method: string
  headers: Record<string, string>
  body: string | Buffer | undefined
}
export type HopAnswer = { status: number; headers: IncomingHttpHeaders; body: Readable }
type SendOptions = {
  rules: ResolveRules
  secureContext: SecureContext
  signal: AbortSignal
  maxBytes: number
  timeoutMs: number
  /** Keeps the connection open after the answer. */
  pool?: ConnectionPool | undefined
}

/** One request to one checked address; the caller handles redirects. */
export async function sendRequest(hop: Hop, options: SendOptions): Promise<HopAnswer> {
  const target = targetOf(hop.url, hop.use, options.rules)
  const connect = async () => connectChecked(target, options)
  const key = `${hop.use} ${hop.url.origin}`
  let endTurn: (() => void) | undefined

  try {
    options.signal.throwIfAborted()
    endTurn = await options.pool?.turn(key, options.signal)
    const agent = options.pool?.agentFor(key)
    const answer = agent
      ? await exchangeOnKept(hop, { agent, connect }, options.signal)
      : await exchange(hop, { socket: await connect() }, options.signal)
    answer.once('close', () => endTurn?.())
    return {
      status: answer.statusCode ?? 0,
      headers: answer.headers,
      body: bodyOf(answer, options),
    }
  } catch (error) {
    endTurn?.()
    throw translate(error, options.signal)
  }
}

/** Looks the name up, checks its addresses and connects to one of them. */
async function connectChecked(
  target: Target & { secure: boolean },
  options: SendOptions,
): Promise<Socket> {
  const addresses = await resolveTarget(target, options.rules, { signal: options.signal })
  options.signal.throwIfAborted()
  const socket = await connectTarget(addresses, { ...options, port: target.port })
  if (options.signal.aborted) socket.destroy()
  options.signal.throwIfAborted()
  return target.secure ? startTls(socket, target.host, options) : socket
}

function startTls(socket: Socket, host: string, options: SendOptions): Promise<Socket> {
  const name = host.replace(/^\[|\]$/g, '')
  const { secureContext, signal } = options
  return new Promise((resolve, reject) => {
    // The certificate is checked for the requested name, although an address is dialled.
    const identity = isIP(name) ? { host: name } : { host: name, servername: name }
    const secured = tlsConnect({ ...identity, socket, secureContext }, () => {
      signal.removeEventListener('abort', abandon)
      resolve(secured)
    })
    const abandon = () => secured.destroy(new Error('aborted'))
    signal.addEventListener('abort', abandon, { once: true })
    secured.once('error', (error) => {
      socket.destroy()
      reject(error)
    })
  })
}

/** A server may close an idle connection just as the request is sent (RFC 9112 9.3.1): then once more, on another. */
async function exchangeOnKept(
  hop: Hop,
  kept: KeptRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  for (;;) {
    let sent: ClientRequest | undefined
    try {
      return await exchange(hop, { ...kept, onRequest: (request) => (sent = request) }, signal)
    } catch (error) {
      const isStale = sent?.reusedSocket && closedCodes.has(codeOf(error))
      if (!isStale || signal.aborted) throw error
    }
  }
}

const closedCodes = new Set(['ECONNRESET', 'EPIPE'])
const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : ''

type Over = { socket: Socket } | (KeptRequest & { onRequest(request: ClientRequest): void })

function exchange(hop: Hop, over: Over, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      ...('agent' in over ? over : { createConnection: () => over.socket }),
      method: hop.method,
      path: hop.url.pathname + hop.url.search,
      headers: {
        'user-agent': 'cloud-control',
        'accept-encoding': 'identity',
        ...hop.headers,
        // Node does not frame a DELETE's body, whose bytes would be parsed as the next request.
        ...(hop.body && { 'content-length': String(Buffer.byteLength(hop.body)) }),
        host: hop.url.host,
        connection: 'agent' in over ? 'keep-alive' : 'close',
      },
      maxHeaderSize: 32_768,
      signal,
    })
    if ('agent' in over) over.onRequest(request)
    request.once('error', reject)
    request.once('response', resolve)
    request.end(hop.body)
  })
}

function bodyOf(answer: IncomingMessage, options: SendOptions): Readable {
  const body = Readable.from(capped(answer, options), { objectMode: false })
  // A generator that was never begun ends without its `finally`.
  body.once('close', () => answer.destroy())
  return body
}

/** Throws above the limit: an endless answer would fill the memory. */
async function* capped(answer: IncomingMessage, options: SendOptions): AsyncGenerator<Buffer> {
  let received = 0
  try {
    for await (const chunk of answer) {
      // No encoding is set on the message, so its chunks are buffers.
      const bytes = chunk as Buffer
      received += bytes.length
      if (received > options.maxBytes)
        throw unavailable('response_too_large', 'The host sent a larger answer than is accepted')
      yield bytes
    }
  } catch (error) {
    throw translate(error, options.signal)
  } finally {
    answer.destroy()
  }
}

function translate(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof AppError) return error
  if (signal.aborted) return unavailable('timed_out', 'The host did not answer in time', error)
  return unavailable('connection_failed', 'The host could not be reached', error)
}
