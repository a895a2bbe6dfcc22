import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EndorsedKey } from '../../../domain/signing/endorsement.ts'
import type { Artifact } from './make-artifact.ts'

export type Asked = {
  action: 'deploy' | 'install' | 'activate' | 'rollback' | 'verify'
  artifact: Artifact
  provenance: unknown
  /** What the claim says, where that is not the artifact's own. */
  says?: Partial<Record<'digest' | 'contentDigest' | 'sizeBytes', unknown>>
  hooks?: Record<string, { path: string; repeatable?: boolean }>
  timeouts?: Record<string, number>
  keep?: number
  env?: { key: string; value: string; sensitive: boolean }[]
  runId?: number
  /** An earlier action of the same deployment, whose id, fencing numbers and batches go on. */
  of?: Given
  /** Made of the claim as it is before `forged` changes it. */
  order: (claim: Claimed) => unknown
  /** What the service says in place of what was signed. */
  forged?: Body
}

/** What an order covers of a claim. */
export type Claimed = {
  release: { digest: string; contentDigest: string; runId: number }
  hooks: Record<string, { path: string; repeatable?: boolean }>
  timeouts: Record<string, number>
  keep: number
  env: { key: string; value: string; sensitive: boolean }[]
}

export type Line = { at: string; level: string; line: string }

/** A deployment as the service sees it. */
export type Given = {
  id: number
  asked: Asked
  fence: number
  leaseUntil: number
  lines: Line[]
  batches: number
  heartbeats: Record<string, unknown>[]
  result: Record<string, unknown> | undefined
  /** Asks the agent to stop. */
  stop: boolean
  claims: number
  seenAt: number
}

export type ProtocolServer = Awaited<ReturnType<typeof startProtocolServer>>

type Body = Record<string, unknown>
type Refused = { status: number; code: string }

/**
 * The service's side of the protocol of agents (docs/agent-host.md), by a script: leases, fences, batches and ranges as
 * the service has them. What an agent does against the protocol is noted in `faults`, which a test expects to be
 * empty.
 */
export async function startProtocolServer({
  token,
  joinToken = 'cc_agt_join',
  keys = [],
  leaseMs = 45_000,
  againMs = 15_000,
  port = 0,
}: {
  token: string
  joinToken?: string
  keys?: EndorsedKey[]
  leaseMs?: number
  /** So long after its last sign of life an agent is given its deployment again. */
  againMs?: number
  port?: number
}) {
  const state = {
    tokens: new Set([token]),
    keys,
    faults: [] as string[],
    names: [] as string[],
    deployments: [] as Given[],
    claims: [] as Body[],
    heartbeats: [] as Body[],
    ranges: [] as (string | undefined)[],
    /** Bytes after which the next downloads are cut, one each. */
    cuts: [] as number[],
    /** Answers every call with this. */
    answer: undefined as Refused | undefined,
    /** Refuses some calls, by the last part of their path. */
    refuse: (_route: string, _body: Body): Refused | undefined => undefined,
    leaseMs,
  }
  const fault = (text: string) => void state.faults.push(text)
  const sockets = new Set<Socket>()
  const unended = () => state.deployments.find(({ result }) => !result)
  const find = (id: unknown) => state.deployments.findLast((one) => one.id === Number(id))
  const holds = (given: Given, fence: unknown) =>
    !given.result && given.fence === fence && given.leaseUntil > Date.now()

  const heartbeat = (body: Body): [number, unknown] => {
    for (const name of ['protocols', 'version', 'os', 'arch', 'release'])
      if (!(name in body) && body['deploymentId'] === undefined) fault(`a heartbeat has no ${name}`)
    state.heartbeats.push(body)
    const own = { ok: true, protocol: 1, paused: false, keys: state.keys }
    if (body['deploymentId'] === undefined) return [200, { ...own, leaseUntil: null, stop: false }]
    const given = find(body['deploymentId'])
    if (!given) return [404, { error: 'Not found', code: 'not_found' }]
    given.heartbeats.push(body)
    given.seenAt = Date.now()
    if (!holds(given, body['fence'])) return [200, { ...own, leaseUntil: null, stop: true }]
    given.leaseUntil = Date.now() + state.leaseMs
    return [200, { ...own, leaseUntil: new Date(given.leaseUntil).toISOString(), stop: given.stop }]
  }

  const claim = async (body: Body, isOpen: () => boolean): Promise<[number, unknown]> => {
    if (!(Number(body['waitSeconds']) <= 30)) fault('a claim waits too long')
    state.claims.push(body)
    const until = Date.now() + 1_000 * Number(body['waitSeconds'])
    while (Date.now() < until && isOpen()) {
      const given = unended()
      const held = (body['held'] ?? {}) as Body
      const isHeld = given && held['deploymentId'] === given.id && held['fence'] === given.fence
      const isQuiet =
        given && (given.leaseUntil < Date.now() || given.seenAt + againMs < Date.now())
      if (given && (given.claims === 0 || isHeld || isQuiet)) {
        given.fence += 1
        given.claims += 1
        given.seenAt = Date.now()
        given.leaseUntil = Date.now() + state.leaseMs
        return [200, { deployment: presented(given), keys: state.keys }]
      }
      await sleep(20)
    }
    return [204, undefined]
  }

  const logs = (given: Given, body: Body, bytes: number): [number, unknown] => {
    if (!holds(given, body['fence'])) return lost
    const lines = body['lines'] as Line[]
    const batch = Number(body['batch'])
    if (lines.length > 500) fault(`a batch has ${lines.length} lines`)
    if (bytes > 256 * 1024) return [413, { error: 'Too large', code: 'too_large' }]
    if (lines.some(({ line }) => line.length > 8_192)) fault('a line is too long')
    if (batch <= given.batches) return [200, { ok: true }]
    if (batch !== given.batches + 1) fault(`batch ${batch} follows ${given.batches}`)
    given.batches = batch
    given.lines.push(...lines)
    return [200, { ok: true }]
  }

  const result = (given: Given, { fence, ...body }: Body): [number, unknown] => {
    if (given.result)
      return JSON.stringify(given.result) === JSON.stringify(body) ? [200, { ok: true }] : lost
    if (!holds(given, fence)) return lost
    given.result = body
    return [200, { ok: true }]
  }

  const artifact = (given: Given, request: IncomingMessage, response: ServerResponse) => {
    const { path, digest, sizeBytes } = given.asked.artifact
    const { range } = request.headers
    state.ranges.push(range)
    if (range && request.headers['if-range'] !== `"${digest}"`) fault('a range without If-Range')
    const start = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0)
    response.writeHead(range ? 206 : 200, {
      etag: `"${digest}"`,
      'accept-ranges': 'bytes',
      'content-length': String(sizeBytes - start),
      ...(range && { 'content-range': `bytes ${start}-${sizeBytes - 1}/${sizeBytes}` }),
    })
    const cut = state.cuts.shift()
    if (cut === 0) request.socket.destroy()
    else if (cut === undefined) createReadStream(path, { start }).pipe(response)
    else {
      const part = createReadStream(path, { start, end: start + cut - 1 })
      part.pipe(response, { end: false })
      part.on('end', () => response.write('', () => setTimeout(() => request.socket.destroy(), 20)))
    }
  }

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '', 'http://localhost')
    const send = (status: number, body: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(body === undefined ? undefined : JSON.stringify(body))
    }
    const bytes = await buffer(request)
    if (state.answer) return send(state.answer.status, { error: 'No', code: state.answer.code })
    if (request.headers['cc-agent-protocol'] !== '1') fault('no CC-Agent-Protocol')
    if (!/^\d/.test(String(request.headers['cc-agent-version']))) fault('no CC-Agent-Version')
    const bearer = request.headers.authorization?.replace('Bearer ', '') ?? ''
    const body: Body = bytes.length > 0 ? JSON.parse(bytes.toString()) : {}
    const [, , , noun = '', id = '', last] = url.pathname.split('/')
    if (noun === 'enroll') {
      if (bearer !== joinToken) return send(401, unauthorized)
      const own = `cc_agt_own${state.names.length}`
      state.names.push(String(body['name']))
      state.tokens.add(own)
      return send(201, {
        ok: true,
        token: own,
        agent: { id: state.names.length, name: body['name'] },
      })
    }
    if (!state.tokens.has(bearer)) return send(401, unauthorized)
    const refused = state.refuse(last ?? noun, body)
    if (refused) return send(refused.status, { error: 'No', code: refused.code })
    if (noun === 'heartbeat') return send(...heartbeat(body))
    if (noun === 'claim') return send(...(await claim(body, () => !request.socket.destroyed)))
    const given = find(id)
    if (!given) return send(404, { error: 'Not found', code: 'not_found' })
    if (last === 'logs') return send(...logs(given, body, bytes.length))
    if (last === 'result') return send(...result(given, body))
    if (!holds(given, Number(url.searchParams.get('fence')))) return send(...lost)
    artifact(given, request, response)
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => fault(String(error)))
  })
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  })
  const listen = async (at: number) => {
    server.listen(at, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const own = await listen(port)
  const close = async () => {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    for (const socket of sockets) socket.destroy()
    await closed
  }

  return {
    ...state,
    state,
    url: `http://127.0.0.1:${own}`,
    give(asked: Asked): Given {
      const given: Given = {
        id: asked.of?.id ?? 100 + state.deployments.length,
        asked,
        fence: asked.of?.fence ?? 0,
        leaseUntil: 0,
        lines: [],
        batches: asked.of?.batches ?? 0,
        heartbeats: [],
        result: undefined,
        stop: false,
        claims: 0,
        seenAt: 0,
      }
      state.deployments.push(given)
      return given
    },
    /** The service dies, and comes back. */
    goAway: close,
    comeBack: async () => void (await listen(own)),
    close,
  }
}

const lost: [number, unknown] = [409, { error: 'The lease is lost.', code: 'lease_lost' }]
const unauthorized = { error: 'Sign in.', code: 'unauthorized' }

function presented({ id, fence, leaseUntil, asked }: Given) {
  const { artifact, says, action, provenance, order, forged, runId = id } = asked
  const { digest, contentDigest, sizeBytes } = artifact
  const { hooks = {}, timeouts = {}, keep = 3, env = [] } = asked
  const signed = { hooks, timeouts, keep, env }
  const release = { digest, contentDigest, sizeBytes, provenance, runId, ...says }
  return {
    id,
    fence,
    action,
    leaseUntil: new Date(leaseUntil).toISOString(),
    release,
    ...signed,
    order: order({
      ...signed,
      release: { digest, contentDigest, runId, ...says } as Claimed['release'],
    }),
    // A field of a later version.
    later: { unknown: true },
    ...forged,
  }
}
