import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { PrivateHostUse } from '../../config/outbound.ts'
import { withoutHopByHop } from './without-hop-by-hop.ts'
import { connectTarget } from './connect-target.ts'
import type { Address } from './look-up-name.ts'
import { opensPrivateHost, type ResolveRules, type Target } from './resolve-target.ts'

type Exchange = { request: IncomingMessage; response: ServerResponse }
type Rules = {
  use: PrivateHostUse
  rules: ResolveRules
  resolve: (target: Target) => Promise<Address[]>
  onHost?: ((host: string, port: number, allowed: boolean) => void) | undefined
  connectTimeoutMs: number
  idleTimeoutMs: number
}

/** `GET http://host/path` through the proxy: to a private host that the operator opened, else refused. */
export async function forwardPlainRequest(exchange: Exchange, proxy: Rules): Promise<void> {
  const { request, response } = exchange
  const refuse = (status: number) =>
    void response.writeHead(status, { connection: 'close', 'content-length': 0 }).end()

  const url = URL.parse(request.url ?? '')
  if (!url || url.protocol !== 'http:') return refuse(400)
  const target = { host: url.hostname, port: Number(url.port || 80), use: proxy.use }
  const allowed = opensPrivateHost(target, proxy.rules.privateHosts)
  proxy.onHost?.(target.host, target.port, allowed)
  if (!allowed) return refuse(403)

  let socket
  try {
    const addresses = await proxy.resolve(target)
    socket = await connectTarget(addresses, {
      port: target.port,
      timeoutMs: proxy.connectTimeoutMs,
    })
  } catch {
    return refuse(502)
  }
  const connected = socket
  connected.setTimeout(proxy.idleTimeoutMs, () => connected.destroy())
  response.once('close', () => connected.destroy())
  const upstream = httpRequest({
    createConnection: () => connected,
    method: request.method,
    path: url.pathname + url.search,
    headers: { ...withoutHopByHop(request.headers), host: url.host, connection: 'close' },
  })
  const answered = new Promise<void>((resolve, reject) => {
    upstream.once('error', reject)
    upstream.once('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, withoutHopByHop(answer.headers))
      pipeline(answer, response).then(resolve, reject)
    })
  })
  await Promise.all([pipeline(request, upstream), answered]).catch(() => {
    if (!response.headersSent) refuse(502)
    else response.destroy()
  })
}
