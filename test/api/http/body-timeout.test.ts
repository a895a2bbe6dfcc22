import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import Fastify from 'fastify'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { registerBodyTimeout } from '../../../api/http/body-timeout.ts'
import { refuseConnection } from '../../../api/http/refuse-connection.ts'

let app: ReturnType<typeof Fastify>
let url: string
beforeEach(async () => {
  app = Fastify({ clientErrorHandler: refuseConnection({ baseUrl: 'http://127.0.0.1' }) })
  registerBodyTimeout(app)
  app.post('/slow', { config: { bodyTimeoutMs: 100 } }, () => ({ ok: true }))
  const refused = {
    config: { bodyTimeoutMs: 100 },
    onRequest: async () => Promise.reject(new Error('no')),
  }
  app.post('/refused', refused, () => ({ ok: true }))
  url = await app.listen({ host: '127.0.0.1', port: 0 })
})
afterEach(async () => app.close())

const send = async (part: string): Promise<string> => {
  const { port } = app.server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(
    `POST /slow HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 20\r\n\r\n${part}`,
  )
  return text(socket)
}

test('a body that does not arrive in its time: 408, and the connection ends', async () => {
  const answer = await send('{"half":')
  expect(answer).toMatch(/^HTTP\/1\.1 408 /)
  expect(answer).toContain('"code":"request_timeout"')
})

test('a body that has arrived is answered, and its connection stays in use after the time', async () => {
  const post = async () =>
    fetch(`${url}/slow`, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    })
  expect((await post()).status).toBe(200)
  await new Promise((resolve) => setTimeout(resolve, 150))
  expect((await post()).status).toBe(200)
})

test('a request that was refused before its body was read: nothing is thrown after the time', async () => {
  const answer = await app.inject({ method: 'POST', url: '/refused', payload: { large: true } })
  expect(answer.statusCode).toBe(500)
  // An exception in the timer would be uncaught, and end this file as failed.
  await new Promise((resolve) => setTimeout(resolve, 150))
})
