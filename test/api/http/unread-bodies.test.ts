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

const address = () => app.server.address() as AddressInfo
const body = (length: number) => JSON.stringify('x'.repeat(length))
const headers = { 'content-type': 'application/json' }

test('a body without end that is refused by its head ends its connection', async () => {
  const { port } = address()
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(
    'PUT /refused HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9000000000\r\n\r\n',
  )
  const piece = Buffer.alloc(1_000_000, 'x')
  const more = () => {
    while (!socket.destroyed && socket.write(piece));
  }
  socket.on('drain', more)
  more()
  let answer = ''
  socket.on('data', (bytes: Buffer) => (answer += bytes.toString()))
  await new Promise((resolve) => socket.once('close', resolve))
  expect(answer).toMatch(/^HTTP\/1\.1 401 /)
  expect(sockets[0]?.bytesRead).toBeGreaterThan(16 * 1_048_576)
}, 30_000)

test('a client that reads its answer after it has sent ten megabytes gets it', async () => {
  const { port } = address()
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.pause()
  const text = body(10_000_000)
  socket.write(
    `PUT /refused HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n`,
  )
  await new Promise((resolve) => socket.write(text, resolve))
  await new Promise((resolve) => setTimeout(resolve, 300))
  const [answer] = await once(socket.resume(), 'data')
  expect(String(answer)).toMatch(/^HTTP\/1\.1 401 /)
  socket.destroy()
})

test('after a large body the connection stays in use', async () => {
  const { port } = address()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  for (const length of [100, 5_000_000, 100]) {
    const options = { port, host: '127.0.0.1', method: 'PUT', path: '/taken', headers, agent }
    const sent = request(options).end(body(length))
    const [response] = await once(sent, 'response')
    await once(response.resume(), 'end')
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  agent.destroy()
  expect(sockets).toHaveLength(1)
})
