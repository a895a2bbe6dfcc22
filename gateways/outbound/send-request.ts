import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { isIP, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { connect as tlsConnect, type SecureContext } from 'node:tls'
import type { PrivateHostUse } from '../../config/outbound.ts'
import { AppError, unavailable } from '../../domain/errors.ts'
import { connectTarget } from './connect-target.ts'
import {
  addressRefused,
  opensPrivateHost,
  resolveTarget,
  type ResolveRules,
} from './resolve-target.ts'

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
}

/** One request to one checked address; the caller handles redirects. */
export async function sendRequest(hop: Hop, options: SendOptions): Promise<HopAnswer> {
  const { url, use } = hop
  const secure = url.protocol === 'https:'
  const target = { host: url.hostname, port: Number(url.port || (secure ? 443 : 80)), use }
  const isOpened = opensPrivateHost(target, options.rules.privateHosts)
  if (!secure && !(url.protocol === 'http:' && isOpened)) throw addressRefused()
  // Credentials in a URL would end up in logs; they are sent as headers.
  if (url.username || url.password) throw addressRefused()

  try {
    const addresses = await resolveTarget(target, options.rules)
    options.signal.throwIfAborted()
    const socket = await connectTarget(addresses, { ...options, port: target.port })
    options.signal.throwIfAborted()
    const ready = secure ? await startTls(socket, target.host, options) : socket
    const answer = await exchange(hop, ready, options.signal)
    return {
      status: answer.statusCode ?? 0,
      headers: answer.headers,
      body: Readable.from(capped(answer, options), { objectMode: false }),
    }
  } catch (error) {
    throw translate(error, options.signal)
  }
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

function exchange(hop: Hop, socket: Socket, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      createConnection: () => socket,
      method: hop.method,
      path: hop.url.pathname + hop.url.search,
      headers: {
        'user-agent': 'cloud-control',
        'accept-encoding': 'identity',
        ...hop.headers,
        // Node does not frame a DELETE's body, whose bytes would be parsed as the next request.
        ...(hop.body && { 'content-length': String(Buffer.byteLength(hop.body)) }),
        host: hop.url.host,
        connection: 'close',
      },
      maxHeaderSize: 32_768,
      signal,
    })
    request.once('error', reject)
    request.once('response', resolve)
    request.end(hop.body)
  })
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
