import { timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import {
  connect,
  constants,
  createServer,
  type ClientHttp2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2'
import type { TemporalKeys } from './temporal-keys.ts'

export type UiGate = { close(): void }

type Options = {
  /** A unix socket in a folder of the service's own. */
  socket: string
  /** What a request has to carry; only the API knows it. */
  secret: string
  temporalAddress: string
  keys: TemporalKeys
}

/** What reads and changes nothing, by the names of Temporal's own API. */
const reads =
  /^\/temporal\.api\.(workflowservice|operatorservice)\.v1\.[A-Za-z]+\/(Get|List|Describe|Count)[A-Za-z]+$/
const unauthenticated = '16'
const permissionDenied = '7'
const unavailable = '14'

/**
 * Stands between the web UI's server and Temporal. That server listens on TCP, where every user of
 * the host can connect, and asks nobody who they are, so it holds no key of Temporal's. It hands the
 * `authorization` of each request on to here, where only the API's is let through, and only to read.
 */
export async function openUiGate(options: Options): Promise<UiGate> {
  const { socket, secret } = options
  const frontend = frontendOf(options)
  const server = createServer()
  server.on('sessionError', () => undefined)
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined)
    const path = headers[':path'] ?? ''
    if (!isSame(headers.authorization ?? '', `Bearer ${secret}`))
      return refuse(stream, unauthenticated, 'sign in as a platform administrator')
    if (!reads.test(path)) return refuse(stream, permissionDenied, 'this interface only reads')
    return passOn(stream, headers, frontend())
  })
  // A start that was killed leaves its socket behind.
  rmSync(socket, { force: true })
  await once(server.listen(socket), 'listening')
  return {
    close() {
      server.close()
      frontend.close()
    },
  }
}

/** One connection to the frontend, made again when it is gone. */
function frontendOf({ temporalAddress, keys }: Options): (() => ClientHttp2Session) & {
  close(): void
} {
  let session: ClientHttp2Session | undefined
  const open = () => {
    if (session && !session.closed && !session.destroyed) return session
    session = connect(`https://${temporalAddress}`, {
      ca: readFileSync(keys.caFile),
      cert: readFileSync(keys.client.certFile),
      key: readFileSync(keys.client.keyFile),
      servername: keys.server.serverName,
    })
    session.on('error', () => undefined)
    session.unref()
    return session
  }
  return Object.assign(open, { close: () => session?.destroy() })
}

/** The fields of HTTP/2 itself, and the secret, end here. */
function passOn(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  frontend: ClientHttp2Session,
): void {
  const metadata = Object.entries(headers).filter(
    ([name]) => !name.startsWith(':') && name !== 'authorization',
  )
  const upstream = frontend.request({
    ':method': 'POST',
    ':path': headers[':path'],
    ...Object.fromEntries(metadata),
  })
  let trailers: IncomingHttpHeaders = {}
  upstream.on('error', () => refuse(stream, unavailable, 'Temporal does not answer'))
  upstream.on('trailers', (given) => (trailers = given))
  upstream.on('response', (given, flags) => {
    if (stream.destroyed || stream.headersSent) return
    const isOver = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0
    stream.respond(given, isOver ? { endStream: true } : { waitForTrailers: true })
    if (!isOver) upstream.pipe(stream)
  })
  stream.on('wantTrailers', () => stream.sendTrailers(trailers))
  stream.on('close', () => upstream.close(constants.NGHTTP2_CANCEL))
  stream.pipe(upstream)
}

/** As gRPC over HTTP/2 says it: a status without a message. */
function refuse(stream: ServerHttp2Stream, status: string, message: string): void {
  if (stream.destroyed || stream.headersSent) return
  stream.respond(
    {
      ':status': 200,
      'content-type': 'application/grpc',
      'grpc-status': status,
      'grpc-message': message,
    },
    { endStream: true },
  )
}

function isSame(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)]
  return one.length === other.length && timingSafeEqual(one, other)
}
