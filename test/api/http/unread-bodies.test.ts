import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import Fastify from 'fastify'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { registerUnreadBodies } from '../../../api/http/unread-bodies.ts'

let app: ReturnType<typeof Fastify>
let sockets: Socket[]
beforeEach(async () => {
  sockets = []
  app = Fastify({ bodyLimit: 20_000_000 })
  app.server.on('connection', (socket: Socket) => sockets.push(socket))
  registerUnreadBodies(app)
  const onRequest = async () => Promise.reject(Object.assign(new Error('no'), { statusCode: 401 }))
  app.put('/refused', { onRequest }, () => ({ ok: true }))
  app.put('/taken', () => ({ ok: true }))
  await app.listen({ host: '127.0.0.1', port: 0 })
})
afterEach(async () => app.close())

const received = () => sockets.map(({ bytesRead }) => bytesRead)
const address = () => app.server.address() as AddressInfo
const body = (length: number) => JSON.stringify('x'.repeat(length))
const headers = { 'content-type': 'application/json' }

test('a large body that is refused by its head is not received, and its connection ends', async () => {
  const { port } = address()
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(
    'PUT /refused HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 15000000\r\n\r\n',
  )
  socket.write(Buffer.alloc(15_000_000, 'x'))
  let answer = ''
  socket.on('data', (bytes: Buffer) => (answer += bytes.toString()))
  await new Promise((resolve) => socket.once('close', resolve))
  expect(answer).toMatch(/^HTTP\/1\.1 401 /)
  expect(received()[0]).toBeLessThan(2_000_000)
})

test('a client of HTTP reads the answer', async () => {
  const { port } = address()
  for (const [path, status] of [
    ['/refused', 401],
    ['/taken', 200],
  ] as const) {
    const sent = request({ port, host: '127.0.0.1', method: 'PUT', path, headers, agent: false })
    // What is written after the end of the connection.
    sent.on('error', () => undefined)
    sent.end(body(10_000_000))
    const [response] = await once(sent, 'response')
    expect(response.statusCode).toBe(status)
    response.resume()
  }
  const fetched = await fetch(`http://127.0.0.1:${port}/refused`, {
    method: 'PUT',
    headers,
    body: body(10_000_000),
  })
  expect(fetched.status).toBe(401)
})

test('after a large body that was received the connection stays in use', async () => {
  const { port } = address()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  for (const length of [100, 5_000_000, 100]) {
    const options = { port, host: '127.0.0.1', method: 'PUT', path: '/taken', headers, agent }
    const sent = request(options).end(body(length))
    const [response] = await once(sent, 'response')
    await once(response.resume(), 'end')
    await new Promise((resolve) => setTimeout(resolve, 1_100))
  }
  agent.destroy()
  expect(received()).toHaveLength(1)
})
