import { spawn } from 'node:child_process'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'

export type PeerRequest = {
  method: string
  url: URL
  path: string
  headers: IncomingMessage['headers']
  body: Buffer
  token: string | undefined
}
export type PeerAnswer = {
  status: number
  json?: unknown
  text?: string
  raw?: Buffer
  /** A body that may be too large for memory. */
  stream?: Readable
  headers?: Record<string, string>
}
/** A network fault: half an answer, a closed connection, or another answer. */
export type PeerFault = 'half' | 'hang-up' | PeerAnswer | undefined

export class PeerServer {
  readonly calls: string[] = []
  /**
   * Called before and after each request is handled. A fault `after` means that the work is done
   * and its answer is lost.
   */
  fault: (request: PeerRequest, when: 'before' | 'after') => PeerFault | Promise<PeerFault> = () =>
    undefined
  readonly #server: Server
  constructor(handle: (request: PeerRequest) => Promise<PeerAnswer>) {
    this.#server = createServer((request, response) => {
      void this.#answer(request, response, handle).catch((error: unknown) => {
        response.writeHead(500, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ message: String(error) }))
      })
    })
  }

  async #answer(
    incoming: IncomingMessage,
    response: ServerResponse,
    handle: (request: PeerRequest) => Promise<PeerAnswer>,
  ): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(Buffer.from(chunk))
    const url = new URL(incoming.url ?? '/', this.url)
    const request: PeerRequest = {
      method: incoming.method ?? 'GET',
      url,
      path: url.pathname,
      headers: incoming.headers,
      body: Buffer.concat(chunks),
      token: tokenOf(incoming.headers),
    }
    this.calls.push(`${request.method} ${url.pathname}`)
    const before = await this.fault(request, 'before')
    const answer = before ?? (await handle(request))
    await send(response, before ?? (await this.fault(request, 'after')) ?? answer, answer)
  }

  get url(): string {
    // The server listens on a port, so `address` returns an object.
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }
  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }
  async listen(port = 0): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve))
  }
  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

async function send(
  response: ServerResponse,
  wanted: NonNullable<PeerFault>,
  whole: PeerAnswer | PeerFault,
): Promise<void> {
  if (wanted === 'hang-up') return void response.destroy()
  const answer = typeof wanted === 'string' ? (whole as PeerAnswer) : wanted
  if (answer.stream && wanted !== 'half') {
    response.writeHead(answer.status, answer.headers)
    // A client that hangs up is no fault of the server.
    return pipeline(answer.stream, response).catch(() => undefined)
  }
  const body =
    answer.raw ??
    (answer.stream && (await buffer(answer.stream))) ??
    Buffer.from(answer.json === undefined ? (answer.text ?? '') : JSON.stringify(answer.json))
  response.writeHead(answer.status, {
    ...(answer.json !== undefined && { 'content-type': 'application/json; charset=utf-8' }),
    ...(answer.text !== undefined && { 'content-type': 'text/plain' }),
    ...answer.headers,
    ...(wanted === 'half' && { 'content-length': String(body.length) }),
  })
  if (wanted !== 'half') return void response.end(body)
  response.write(body.subarray(0, Math.floor(body.length / 2)), () => response.destroy())
}

function tokenOf(headers: IncomingMessage['headers']): string | undefined {
  const own = headers['private-token']
  if (typeof own === 'string') return own
  const [scheme = '', value = ''] = (headers.authorization ?? '').split(' ', 2)
  if (/^(bearer|token)$/i.test(scheme)) return value
  if (/^basic$/i.test(scheme)) {
    const text = Buffer.from(value, 'base64').toString()
    return text.slice(text.indexOf(':') + 1)
  }
  return undefined
}

/** Runs git's own server as a CGI program. */
export async function gitHttpBackend(
  request: PeerRequest,
  { root, path }: { root: string; path: string },
): Promise<PeerAnswer> {
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: '/usr/bin:/bin',
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: path,
      QUERY_STRING: request.url.search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      CONTENT_LENGTH: String(request.body.length),
      HTTP_GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      REMOTE_USER: 'peer',
    },
  })
  child.stdin.on('error', () => undefined)
  child.stdin.end(request.body)
  const pieces: AsyncIterator<Buffer> = child.stdout[Symbol.asyncIterator]()
  let output = Buffer.alloc(0)
  let end = -1
  while (end < 0) {
    const { value, done } = await pieces.next()
    if (done) break
    output = Buffer.concat([output, value])
    end = output.indexOf('\r\n\r\n')
  }
  const headers = Object.fromEntries(
    output
      .subarray(0, end)
      .toString()
      .split('\r\n')
      .map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 1).trim(),
      ]),
  )
  const status = Number.parseInt(headers['status'] ?? '200', 10)
  delete headers['status']
  const body = async function* () {
    yield output.subarray(end + 4)
    yield* { [Symbol.asyncIterator]: () => pieces }
  }
  const stream = Readable.from(body())
  // A push must be over before a fault takes its answer away; a fetch may be too large for memory.
  return request.path.endsWith('/git-upload-pack')
    ? { status, headers, stream }
    : { status, headers, raw: await buffer(stream) }
}
