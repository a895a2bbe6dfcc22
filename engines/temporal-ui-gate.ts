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
  /** The path of a Unix socket in a folder that only the service can access. */
  socket: string
  /** The bearer token of a request. Only the API has it. */
  secret: string
  temporalAddress: string
  keys: TemporalKeys
}

/** Methods of Temporal's API that only read. */
const reads =
  /^\/temporal\.api\.(workflowservice|operatorservice)\.v1\.[A-Za-z]+\/(Get|List|Describe|Count)[A-Za-z]+$/
const unauthenticated = '16'
const permissionDenied = '7'
const unavailable = '14'

/**
 * A proxy between the web UI's server and Temporal. The UI server listens on TCP without authentication,
 * so that every user of the host can call it, and it has no client certificate for Temporal. It forwards
 * the `authorization` header of each request. The proxy accepts only the API's secret and methods that read.
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
  // A killed start leaves its socket behind.
  rmSync(socket, { force: true })
  await once(server.listen(socket), 'listening')
  return {
    close() {
      server.close()
      frontend.close()
    },
  }
}

/** Returns the connection to the frontend, and opens a new one if it was closed. */
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

/** Forwards a request without HTTP/2 pseudo-headers and without the secret. */
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

/** Answers with a gRPC error: trailers only, without a message. */
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

/** Constant-time, so that an attacker cannot guess the secret byte by byte. */
function isSame(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)]
  return one.length === other.length && timingSafeEqual(one, other)
}
