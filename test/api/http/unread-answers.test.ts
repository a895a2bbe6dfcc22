import { once } from 'node:events'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { registerUnreadAnswers } from '../../../api/http/unread-answers.ts'
import { AppError } from '../../../domain/errors.ts'

const mebibyte = 1_048_576
const stalledMs = 400

let app: FastifyInstance
let sockets: Socket[]
beforeEach(async () => {
  sockets = []
  app = await serve(stalledMs)
})
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  await app.close()
})

async function serve(stalledMs: number): Promise<FastifyInstance> {
  const app = Fastify()
  app.decorateRequest('caller')
  app.addHook('onRequest', (request, _reply, next) => {
    const organizationId = Number(request.headers['x-organization'])
    // Of a caller, the limit looks at this alone.
    const kind = request.url.includes('agent') ? 'agentCaller' : 'caller'
    Object.assign(request, { [kind]: { organizationId } })
    next()
  })
  app.setErrorHandler((error, _request, reply) =>
    reply.status(error instanceof AppError ? 429 : 500).send({ error: 'refused' }),
  )
  registerUnreadAnswers(app, { maxBytes: 20 * mebibyte, stalledMs, stalledStreamMs: stalledMs })
  app.get('/agent', () => 'x'.repeat(8 * mebibyte))
  app.post('/large', () => 'x'.repeat(8 * mebibyte))
  app.get('/large', () => 'x'.repeat(8 * mebibyte))
  app.get('/larger', () => 'x'.repeat(24 * mebibyte))
  app.get('/stream', (_request, reply) => reply.send(Readable.from(endless())))
  await app.listen({ host: '127.0.0.1', port: 0 })
  return app
}

/** For tests whose client must not be taken for a stalled one while the machine is busy. */
async function servePatiently(): Promise<void> {
  await app.close()
  app = await serve(60_000)
}

async function* endless() {
  for (;;) yield Buffer.alloc(mebibyte, 'x')
}

/** A client that reads nothing until it is resumed. */
async function ask(
  path: string,
  { organization = 1, connection = 'close', method = 'GET' } = {},
): Promise<Socket> {
  const { port } = app.server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  sockets.push(socket)
  socket.on('error', () => undefined).pause()
  await once(socket, 'connect')
  socket.write(
    `${method} ${path} HTTP/1.1\r\nhost: x\r\nconnection: ${connection}\r\nx-organization: ${organization}\r\n\r\n`,
  )
  return socket
}
async function answerOf(socket: Socket): Promise<{ status: string; bytes: number }> {
  let bytes = 0
  let head = ''
  socket.on('data', (data: Buffer) => {
    if (bytes === 0) head = data.toString('latin1', 0, 12)
    bytes += data.length
  })
  await Promise.race([once(socket.resume(), 'end'), once(socket, 'close')])
  return { status: head.slice(-3), bytes }
}
const pause = async (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

test('an organization whose answers are not read is refused the next, and others are not', async () => {
  await servePatiently()
  const unread = [await ask('/large'), await ask('/large')]
  await pause(100)
  expect((await answerOf(await ask('/large'))).status).toBe('429')
  expect((await answerOf(await ask('/large', { organization: 2 }))).status).toBe('200')
  // What has changed something is answered, and agents count by themselves.
  expect((await answerOf(await ask('/large', { method: 'POST' }))).status).toBe('200')
  expect((await answerOf(await ask('/agent'))).status).toBe('200')
  // Read late, but whole.
  for (const socket of unread) expect((await answerOf(socket)).bytes).toBeGreaterThan(8 * mebibyte)
  expect((await answerOf(await ask('/large'))).status).toBe('200')
})

test('an answer above the limit is sent where it is the only one', async () => {
  await servePatiently()
  expect((await answerOf(await ask('/larger'))).bytes).toBeGreaterThan(24 * mebibyte)
  const unread = await ask('/larger')
  await pause(100)
  expect((await answerOf(await ask('/larger'))).status).toBe('429')
  unread.destroy()
  await pause(100)
  expect((await answerOf(await ask('/larger'))).status).toBe('200')
})

test.each(['/large', '/stream'])('a connection that reads nothing of %s is ended', async (path) => {
  const socket = await ask(path)
  await pause(stalledMs * 3)
  const { bytes } = await answerOf(socket)
  // What was in the buffers of the connection.
  expect(bytes).toBeLessThan(8 * mebibyte)
  expect((await answerOf(await ask('/large'))).status).toBe('200')
})

test('a connection with several requests at once that reads nothing is ended', async () => {
  const socket = await ask('/large', { connection: 'keep-alive' })
  const head = 'HTTP/1.1\r\nhost: x\r\nx-organization: 1\r\n\r\n'
  socket.write(`GET /large ${head}GET /large ${head}`)
  await pause(stalledMs * 3)
  expect((await answerOf(socket)).bytes).toBeLessThan(8 * mebibyte)
  expect((await answerOf(await ask('/larger'))).status).toBe('200')
})

test('a client that reads slowly gets all of it', async () => {
  const socket = await ask('/large')
  let bytes = 0
  socket.on('data', (data: Buffer) => {
    bytes += data.length
    socket.pause()
    setTimeout(() => socket.resume(), 8)
  })
  await once(socket.resume(), 'end')
  expect(bytes).toBeGreaterThan(8 * mebibyte)
})

test('a connection that is kept after its answer is not ended for it', async () => {
  const socket = await ask('/large', { connection: 'keep-alive' })
  let bytes = 0
  socket.on('data', (data: Buffer) => (bytes += data.length)).resume()
  await expect.poll(() => bytes, { timeout: 10_000 }).toBeGreaterThan(8 * mebibyte)
  await pause(stalledMs * 3)
  expect(socket.destroyed).toBe(false)
})
