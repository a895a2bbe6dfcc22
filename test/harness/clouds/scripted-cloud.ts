import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export type CloudRequest = {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
  body: string
}
export type CloudAnswer = {
  status?: number
  headers?: Record<string, string>
  /** An object is sent as JSON, a buffer as it is. */
  body?: object | string | Buffer
  /** Sends this many bytes of the body, then closes the connection. */
  cutAt?: number
}

/** A cloud that answers as a test says, and keeps what it was asked. */
export type ScriptedCloud = {
  url: string
  port: number
  asked: CloudRequest[]
  /** How many connections were opened. */
  connections: number
  answer: (request: CloudRequest) => CloudAnswer | Promise<CloudAnswer>
  stop(): Promise<void>
}

export async function startScriptedCloud(): Promise<ScriptedCloud> {
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(Buffer.from(chunk))
      const url = new URL(request.url ?? '/', 'http://cloud')
      const asked = {
        method: request.method ?? '',
        path: url.pathname,
        query: url.searchParams,
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      }
      cloud.asked.push(asked)
      const { status = 200, headers = {}, body = {}, cutAt } = await cloud.answer(asked)
      const isText = typeof body === 'string' || Buffer.isBuffer(body)
      const bytes = Buffer.from(isText ? body : JSON.stringify(body))
      const type = typeof body === 'string' ? 'text/plain' : 'application/json'
      response.writeHead(status, {
        'content-type': type,
        'content-length': bytes.length,
        ...headers,
      })
      if (cutAt === undefined) return response.end(bytes)
      response.write(bytes.subarray(0, cutAt), () => response.socket?.resetAndDestroy())
      return undefined
    })()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const cloud: ScriptedCloud = {
    url: `http://127.0.0.1:${port}`,
    port,
    asked: [],
    connections: 0,
    answer: () => ({ status: 404 }),
    async stop() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
  server.on('connection', () => (cloud.connections += 1))
  return cloud
}
