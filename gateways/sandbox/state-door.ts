import { createServer, request as httpRequest, type IncomingMessage } from 'node:http'
import type { Server, ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as tlsConnect } from 'node:tls'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { withoutHopByHop } from '../outbound/without-hop-by-hop.ts'

export type StateDoorOptions = {
  apiUrl: string
  /** The one path that is allowed: `/api/workspaces/7/state`. */
  statePath: string
  /** Extra authorities beside the system's, when the API is reached over https. */
  ca?: readonly string[] | undefined
  /** How long to wait for an API that is being restarted. */
  waitMs?: number
  maxBodyBytes?: number
}

/**
 * The only way from a run to the API: its own state. A plan cannot reach the rest of the API, so it cannot use
 * the worker's place in the network to attack sign-in or metrics. The server does not listen yet: call
 * `listen`, or hand it sockets with `emit('connection')`.
 */
export function createStateDoor(options: StateDoorOptions): Server {
  const door = { waitMs: 60_000, maxBodyBytes: 128 * 1024 * 1024, ...options }
  const server = createServer({ maxHeaderSize: 16_384 }, (request, response) => {
    passOn({ request, response }, door).catch(() => {
      if (response.headersSent) response.destroy()
      else answer(response, 502)
    })
  })
  let open = 0
  server.on('connection', (socket: Socket) => {
    open += 1
    socket.once('close', () => (open -= 1))
    // So that one run cannot use up the file descriptors of the worker.
    if (open > 32) socket.destroy()
  })
  server.on('clientError', (_error, socket) => socket.destroy())
  return server
}

type Door = Required<Omit<StateDoorOptions, 'ca'>> & Pick<StateDoorOptions, 'ca'>
type Exchange = { request: IncomingMessage; response: ServerResponse }

async function passOn({ request, response }: Exchange, door: Door): Promise<void> {
  const path = request.url ?? ''
  // Compared as sent: a decoded or normalized path could differ from what the API reads.
  if (path !== door.statePath && !path.startsWith(`${door.statePath}?`))
    return answer(response, 404)
  if (Number(request.headers['content-length'] ?? 0) > door.maxBodyBytes)
    return answer(response, 413)

  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const api = new URL(door.apiUrl)
  // Nothing has been sent yet, so waiting here repeats nothing.
  const socket = await connectApi(api, door, gone.signal)
  if (!socket) return answer(response, 503)
  response.once('close', () => socket.destroy())

  const upstream = httpRequest({
    createConnection: () => socket,
    method: request.method,
    path,
    headers: { ...headersFor(request), host: api.host, connection: 'close' },
  })
  const answered = new Promise<void>((resolve, reject) => {
    upstream.once('error', reject)
    upstream.once('response', (reply) => {
      response.writeHead(reply.statusCode ?? 502, withoutHopByHop(reply.headers))
      pipeline(reply, response).then(resolve, reject)
    })
  })
  await Promise.all([pipeline(request, cap(door.maxBodyBytes), upstream), answered])
}

/** Removes headers that the API accepts from a trusted proxy: a plan could claim any address. */
function headersFor(request: IncomingMessage) {
  const headers = Object.entries(withoutHopByHop(request.headers))
  return Object.fromEntries(headers.filter(([name]) => !/^(x-|forwarded$|cookie$)/.test(name)))
}

async function connectApi(api: URL, door: Door, gone: AbortSignal): Promise<Socket | undefined> {
  const endsAt = performance.now() + door.waitMs
  for (let pauseMs = 50; !gone.aborted; pauseMs = Math.min(pauseMs * 2, 1000)) {
    try {
      return await connectOnce(api, door)
    } catch {
      if (performance.now() + pauseMs > endsAt) return undefined
      await sleep(pauseMs)
    }
  }
  return undefined
}

function connectOnce(api: URL, door: Door): Promise<Socket> {
  const host = api.hostname.replace(/^\[|\]$/g, '')
  const secure = api.protocol === 'https:'
  const to = { host, port: Number(api.port || (secure ? 443 : 80)) }
  return new Promise((resolve, reject) => {
    const ca = door.ca ? { ca: [...door.ca] } : {}
    const socket = secure ? tlsConnect({ ...to, ...ca, servername: host }) : connect(to)
    socket.setTimeout(10_000, () => socket.destroy(new Error('connect timed out')))
    socket.once('error', reject)
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      socket.setTimeout(0)
      socket.off('error', reject)
      resolve(socket)
    })
  })
}

function cap(maxBytes: number): Transform {
  let passed = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      passed += chunk.length
      if (passed > maxBytes) done(new Error('body too large'))
      else done(null, chunk)
    },
  })
}

function answer(response: ServerResponse, status: number): void {
  response.writeHead(status, { connection: 'close', 'content-length': 0 }).end()
}
