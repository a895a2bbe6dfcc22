import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createOutbound } from '../../../gateways/outbound/outbound.ts'
import { providerFetch } from '../../../gateways/git/provider-fetch.ts'

let server: Server
let port: number
const answers: Record<string, { status: number; body: string }> = {
  '/parts': { status: 200, body: `{"values":[${'{},'.repeat(800_000)}{}]}` },
  '/long': { status: 200, body: JSON.stringify({ content: 'x'.repeat(8_000_000) }) },
  '/half': { status: 200, body: '{"values":[' },
  '/reason': { status: 400, body: JSON.stringify({ message: 'no such branch' }) },
  '/reasons': { status: 400, body: JSON.stringify({ message: 'x', more: 'y'.repeat(100_000) }) },
}
beforeAll(async () => {
  server = createServer((request, response) => {
    const { status, body } = answers[request.url ?? ''] ?? { status: 404, body: '{}' }
    response.writeHead(status, { 'content-type': 'application/json' }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // The server listens on a port, so `address` returns an object.
  port = (server.address() as AddressInfo).port
})
afterAll(() => server.close())

const ask = async (path: string) => {
  const outbound = createOutbound({ privateHosts: [{ use: 'git', host: '127.0.0.1', port }] })
  const answer = await providerFetch(outbound, 'GitLab', 'token')(`http://127.0.0.1:${port}${path}`)
  return answer.text()
}

test('an answer of a million small values is refused before it is parsed; one long text is read', async () => {
  await expect(ask('/parts')).rejects.toThrow('GitLab sent an answer of too many parts.')
  expect((await ask('/long')).length).toBeGreaterThan(8_000_000)
  await expect(ask('/half')).rejects.toThrow('GitLab sent half an answer.')
})

test('the reason of a refusal is told, unless it is longer than one', async () => {
  await expect(ask('/reason')).rejects.toThrow('no such branch')
  const error: unknown = await ask('/reasons').catch((thrown: unknown) => thrown)
  expect(String(error)).not.toContain('x')
})
