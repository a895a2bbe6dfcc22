import { Agent, request, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CallApi } from '../call-api.ts'

type Release = { digest: string; runId: number }
export type Claimed = { id: number; fence: number; release: Release; atMs: number }

/** One host as the service sees it: it speaks the protocol of docs/agent-host.md and runs no hook. */
export type AgentClient = {
  /** Waits for work, as an idle agent does. Undefined once the client is closed. */
  claim(): Promise<Claimed | undefined>
  lines(claimed: Claimed, batch: number, lines: readonly string[]): Promise<void>
  /** Reads the artifact; its size in bytes. */
  download(claimed: Claimed): Promise<number>
  succeed(claimed: Claimed): Promise<void>
  close(): void
}

/** Makes agents of a workspace by the API, a client for each. */
export async function openAgents(
  { call, address }: { call: CallApi; address: string },
  { workspaceId, count, name }: { workspaceId: number; count: number; name: string },
): Promise<AgentClient[]> {
  const clients: AgentClient[] = []
  for (let at = 1; at <= count; at += 1) {
    const { body } = await call('POST', '/agents', { name: `${name}-${at}`, workspaceId })
    const token = /CC_AGENT_TOKEN=(\S+)/.exec(String(body['install']))?.[1] ?? ''
    clients.push(agentClient(address, token))
  }
  return clients
}

function agentClient(address: string, token: string): AgentClient {
  const calls = openCalls(address, token)
  let isOpen = true
  return {
    async claim() {
      while (isOpen)
        try {
          const answer = await calls.post('claim', { waitSeconds: 30, release: null })
          const atMs = Date.now()
          const given = answer?.['deployment'] as Omit<Claimed, 'atMs'> | undefined
          if (given) return { ...given, atMs }
          // As an agent does that is answered at once.
          await sleep(10)
        } catch (error) {
          if (!isOpen) return undefined
          if (!isAway(error)) throw error
          await sleep(1_000)
        }
      return undefined
    },
    async lines({ id, fence }, batch, lines) {
      const body = { fence, batch, lines: lines.map((line) => ({ level: 'info', line })) }
      await calls.post(`deployments/${id}/logs`, body)
    },
    async download({ id, fence }) {
      const beat = { protocols: [1], deploymentId: id, fence }
      const beating = setInterval(() => void calls.post('heartbeat', beat), beatMs)
      try {
        const answer = await calls.send('GET', `deployments/${id}/artifact?fence=${fence}`)
        if (answer.statusCode !== 200) throw new Error(`the artifact: ${answer.statusCode}`)
        let bytes = 0
        for await (const chunk of answer) bytes += (chunk as Buffer).length
        return bytes
      } finally {
        clearInterval(beating)
      }
    },
    async succeed({ id, fence, release: { digest, runId } }) {
      const body = { fence, ok: true, release: { digest, runId }, hooks: [] }
      await calls.post(`deployments/${id}/result`, body)
    },
    close() {
      isOpen = false
      calls.close()
    },
  }
}

/** An agent tries again after such an answer: 1,000 that begin to wait at the same moment get some. */
const isAway = (error: unknown): boolean => error instanceof Error && /: 5\d\d /.test(error.message)
const beatMs = 10_000

function openCalls(address: string, token: string) {
  const agent = new Agent({ keepAlive: true })
  const send = async (method: string, path: string, body?: object): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const payload = body && JSON.stringify(body)
      const sent = request(`${address}/agent/${path}`, {
        agent,
        method,
        headers: {
          authorization: `Bearer ${token}`,
          'cc-agent-protocol': '1',
          ...(payload !== undefined && {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(payload),
          }),
        },
      })
      sent.on('error', reject)
      sent.on('response', resolve)
      sent.end(payload)
    })
  return {
    send,
    async post(path: string, body: object): Promise<Record<string, unknown> | undefined> {
      let answer = await send('POST', path, body)
      // As an agent does where many hosts of its organization ask at once.
      while (answer.statusCode === 429) {
        answer.resume()
        await sleep(Number(answer.headers['retry-after'] ?? 1) * 1_000 * (0.5 + Math.random()))
        answer = await send('POST', path, body)
      }
      const chunks: Buffer[] = []
      for await (const chunk of answer) chunks.push(chunk as Buffer)
      const text = Buffer.concat(chunks).toString()
      if ((answer.statusCode ?? 500) >= 300)
        throw new Error(`${path}: ${answer.statusCode} ${text}`)
      return text === '' ? undefined : (JSON.parse(text) as Record<string, unknown>)
    },
    close: () => agent.destroy(),
  }
}
