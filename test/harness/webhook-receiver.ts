import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

export type Received = { path: string; headers: IncomingHttpHeaders; body: string }
type Answer = (response: ServerResponse, request: Received) => void

export type WebhookReceiver = {
  port: number
  /** The value of CC_PRIVATE_HOSTS that opens it. */
  opened: string
  url(path: string): string
  received(path: string): Received[]
  /** How requests to this path are answered from now on; by default with 200. */
  answer(path: string, answer: Answer): void
  /** The most requests that were open at once. */
  mostAtOnce(): number
  close(): Promise<void>
}

/** A real HTTP server in this process that receives what channels are told. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const all: Received[] = []
  const answers = new Map<string, Answer>()
  let open = 0
  let most = 0
  const server = createServer((request, response) => {
    open += 1
    most = Math.max(most, open)
    response.once('close', () => (open -= 1))
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const [path = ''] = (request.url ?? '').split('?')
      const body = Buffer.concat(chunks).toString()
      const received = { path, headers: request.headers, body }
      all.push(received)
      const answer = answers.get(path) ?? ((to) => void to.end('ok'))
      answer(response, received)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // It listens on a port, so this is no path of a socket.
  const { port } = server.address() as AddressInfo
  return {
    port,
    opened: `webhook=127.0.0.1:${port}`,
    url: (path) => `http://127.0.0.1:${port}${path}`,
    received: (path) => all.filter((one) => one.path === path),
    answer: (path, answer) => void answers.set(path, answer),
    mostAtOnce: () => most,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
