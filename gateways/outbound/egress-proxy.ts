import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { PrivateHostUse } from '../../config/outbound.ts'
import { AppError } from '../../domain/errors.ts'
import { connectTarget } from './connect-target.ts'
import { forwardPlainRequest } from './forward-plain-request.ts'
import { createKeyedTurns } from './keyed-turns.ts'
import type { Address } from './look-up-name.ts'
import { resolveTarget, type ResolveRules, type Target } from './resolve-target.ts'

export type EgressProxyOptions = {
  use: PrivateHostUse
  rules: ResolveRules
  /** Called once for each request, before it is sent. */
  onHost?: (host: string, port: number, allowed: boolean) => void
  maxConnections?: number
  idleTimeoutMs?: number
  /** Of the look-up, and again of the connection. */
  connectTimeoutMs?: number
}

/** Look-ups at once of one proxy, that is of one run: it must not load the name servers of all others. */
const lookUpsAtOnce = 8

/**
 * An HTTP proxy for untrusted programs. It tunnels (CONNECT) to public addresses and to the private hosts of
 * its use. Plain http goes to private hosts alone: on the internet an attacker could read and change it.
 * The server does not listen yet: call `listen`, or hand it sockets with `emit('connection')`.
 */
export function createEgressProxy(options: EgressProxyOptions): Server {
  const limits = {
    maxConnections: 64,
    idleTimeoutMs: 120_000,
    connectTimeoutMs: 10_000,
    ...options,
  }
  const proxy = { ...limits, resolve: resolveInTurn(limits) }
  let open = 0
  // Otherwise slow or oversized headers would hold a connection for ever (slowloris).
  const server = createServer({ headersTimeout: 10_000, maxHeaderSize: 16_384 })

  server.on('connection', (socket: Duplex) => {
    open += 1
    socket.once('close', () => (open -= 1))
    // So that one run cannot use up the file descriptors of the worker.
    if (open > proxy.maxConnections) socket.destroy()
  })
  server.on('request', (request, response) => {
    forwardPlainRequest({ request, response }, proxy).catch(() => response.destroy())
  })
  server.on('connect', (request: IncomingMessage, client: Duplex, head: Buffer) => {
    tunnel({ request, client, head }, proxy).catch(() => client.destroy())
  })
  server.on('clientError', (_error, socket) => socket.destroy())
  return server
}

type Limits = Required<Omit<EgressProxyOptions, 'onHost'>> & Pick<EgressProxyOptions, 'onHost'>
type Proxy = Limits & { resolve: Resolve }

/** Looks a target up within the time for connecting, the wait for its turn included. */
type Resolve = (target: Target) => Promise<Address[]>

function resolveInTurn({ rules, connectTimeoutMs }: Limits): Resolve {
  const turns = createKeyedTurns(lookUpsAtOnce)
  return (target) =>
    resolveTarget(target, rules, {
      signal: AbortSignal.timeout(connectTimeoutMs),
      turn: (signal) => turns.turn('run', signal),
    })
}

type Connect = { request: IncomingMessage; client: Duplex; head: Buffer }

async function tunnel({ request, client, head }: Connect, proxy: Proxy): Promise<void> {
  client.on('error', () => client.destroy())
  const target = parseAuthority(request.url ?? '')
  if (!target) return refuse(client, 400, 'Bad Request')

  const { host, port } = target
  let upstream
  try {
    const addresses = await proxy.resolve({ host, port, use: proxy.use })
    proxy.onHost?.(host, port, true)
    upstream = await connectTarget(addresses, { port, timeoutMs: proxy.connectTimeoutMs })
  } catch (error) {
    const refused = error instanceof AppError && error.fault === 'invalid'
    if (refused) proxy.onHost?.(host, port, false)
    // OpenTofu prints this text into the run's log, so it says whom to ask.
    return refused
      ? refuse(client, 403, 'Not a public address (CC_PRIVATE_HOSTS opens it)')
      : refuse(
          client,
          502,
          'Host cannot be reached from the worker (CC_TOFU_CLI_CONFIG names a mirror)',
        )
  }

  upstream.setTimeout(proxy.idleTimeoutMs, () => upstream.destroy())
  // The client may be gone already; then its socket emits no further close.
  if (client.destroyed) return void upstream.destroy()
  client.once('close', () => upstream.destroy())
  client.write('HTTP/1.1 200 Connection Established\r\n\r\n')
  if (head.length > 0) upstream.write(head)
  await Promise.all([pipeline(client, upstream), pipeline(upstream, client)]).catch(() => {
    client.destroy()
    upstream.destroy()
  })
}

function refuse(client: Duplex, status: number, reason: string): void {
  client.end(`HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}

/** `host:port` or `[v6]:port`; a CONNECT without a port means nothing. */
function parseAuthority(authority: string): { host: string; port: number } | undefined {
  const match = /^(\[[0-9a-fA-F:.]+\]|[^\s:[\]@/]{1,253}):(\d{1,5})$/.exec(authority)
  const port = Number(match?.[2])
  if (!match?.[1] || port < 1 || port > 65_535) return undefined
  return { host: match[1].replace(/^\[|\]$/g, '').toLowerCase(), port }
}
