import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createOutbound } from '../../../gateways/outbound/outbound.ts'
import { providerFetch } from '../../../gateways/git/provider-fetch.ts'
import { turnsDuring } from '../../harness/turns-during.ts'

let server: Server
let port: number
const answers: Record<string, { status: number; body: string; type?: string }> = {
  '/parts': { status: 200, body: `{"values":[${'{},'.repeat(800_000)}{}]}` },
  '/long': { status: 200, body: JSON.stringify({ content: 'x'.repeat(8_000_000) }) },
  '/most': { status: 200, body: `{"values":[${'1,'.repeat(49_990)}1]}` },
  '/more': { status: 200, body: `{"values":[${'1,'.repeat(50_000)}1]}` },
  '/plain': { status: 200, body: `[${'{},'.repeat(800_000)}{}]`, type: 'text/plain' },
  '/file': { status: 200, body: '{"a":', type: 'text/plain' },
  '/quotes': { status: 200, body: JSON.stringify({ content: '"'.repeat(2_000_000) }) },
  '/half': { status: 200, body: '{"values":[' },
  '/reason': { status: 400, body: JSON.stringify({ message: 'no such branch' }) },
  '/reasons': { status: 400, body: JSON.stringify({ message: 'x', more: 'y'.repeat(100_000) }) },
}
beforeAll(async () => {
  server = createServer((request, response) => {
    const { status, body, type } = answers[request.url ?? ''] ?? { status: 404, body: '{}' }
    response.writeHead(status, { 'content-type': type ?? 'application/json' }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // The server listens on a port, so `address` returns an object.
  port = (server.address() as AddressInfo).port
})
afterAll(() => server.close())

const answerOf = async (path: string) => {
  const outbound = createOutbound({ privateHosts: [{ use: 'git', host: '127.0.0.1', port }] })
  return providerFetch(outbound, 'GitLab', 'token')(`http://127.0.0.1:${port}${path}`)
}
const ask = async (path: string) => JSON.stringify(await (await answerOf(path)).json())

test('an answer of a million small values is refused before it is parsed; one long text is read', async () => {
  await expect(ask('/parts')).rejects.toThrow('GitLab sent an answer of too many parts.')
  expect((await ask('/long')).length).toBeGreaterThan(8_000_000)
  await expect(ask('/half')).rejects.toThrow('GitLab sent half an answer.')
})

test('50,000 fields and items are read, and no more, whatever type the host gives its answer', async () => {
  expect((await ask('/most')).length).toBeGreaterThan(90_000)
  for (const path of ['/more', '/plain'])
    await expect(ask(path)).rejects.toThrow('GitLab sent an answer of too many parts.')
  expect(await (await answerOf('/file')).text()).toBe('{"a":')
})

test('an answer is parsed once', async () => {
  const answer = await answerOf('/most')
  const parse = vi.spyOn(JSON, 'parse')
  const values = [await answer.json(), await answer.json()]
  const calls = parse.mock.calls.length
  parse.mockRestore()
  expect(values[0]).toBe(values[1])
  expect(calls).toBe(1)
})

test('others have turns while the shape of a long answer is looked at', async () => {
  const answer = await answerOf('/quotes')
  const { turns } = await turnsDuring(async () => answer.json())
  expect(turns).toBeGreaterThan(20)
})

test('the reason of a refusal is told, unless it is longer than one', async () => {
  await expect(ask('/reason')).rejects.toThrow('no such branch')
  const error: unknown = await ask('/reasons').catch((thrown: unknown) => thrown)
  expect(String(error)).not.toContain('x')
})
