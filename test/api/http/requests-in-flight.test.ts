import { request } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import fastify from 'fastify'
import { expect, test } from 'vitest'
import type { AgentCaller } from '../../../domain/agents/agent-caller.ts'
import type { Caller } from '../../../domain/access/caller.ts'
import {
  organizationRequestsAtOnce,
  registerRequestsInFlight,
} from '../../../api/http/requests-in-flight.ts'
import { registerErrors } from '../../../api/http/errors.ts'
import { registerWhenOver } from '../../../api/http/when-over.ts'

function createApp() {
  const app = fastify()
  registerErrors(app)
  registerWhenOver(app)
  app.decorateRequest('caller')
  app.decorateRequest('scimCaller')
  app.decorateRequest('agentCaller')
  app.addHook('onRequest', (request, _reply, next) => {
    // The limit applies to the organization, whichever credential is used.
    const caller = { organizationId: Number(request.headers['x-organization']) }
    if (request.headers['x-agent']) request.agentCaller = caller as AgentCaller
    else request.caller = caller as Caller
    next()
  })
  registerRequestsInFlight(app)
  const held = { until: Promise.withResolvers<void>(), handlers: 0 }
  app.get('/slow', async () => {
    held.handlers += 1
    return held.until.promise.then(() => ({ ok: true }))
  })
  app.get('/quick', async () => ({ ok: true }))
  const ask = async (url: string, organization: number, more: Record<string, string> = {}) =>
    app.inject({ url, headers: { 'x-organization': String(organization), ...more } })
  return { app, held, ask }
}

test('429: one organization is at its limit of concurrent requests, and another is answered', async () => {
  const { app, held, ask } = createApp()
  for (let round = 0; round < 3; round += 1) {
    held.until = Promise.withResolvers()
    const slow = Array.from({ length: organizationRequestsAtOnce }, async () => ask('/slow', 1))
    await expect.poll(async () => (await ask('/quick', 1)).statusCode).toBe(429)
    const refused = await ask('/quick', 1)
    expect(refused.json()).toMatchObject({ code: 'too_many_at_once' })
    expect(refused.json().error).toContain(String(organizationRequestsAtOnce))
    expect(refused.headers['retry-after']).toBe('1')
    expect((await ask('/quick', 2)).statusCode).toBe(200)
    held.until.resolve()
    const statuses = (await Promise.all(slow)).map(({ statusCode }) => statusCode)
    expect(new Set(statuses)).toEqual(new Set([200]))
    // Finished and refused requests no longer count.
    expect((await ask('/quick', 1)).statusCode).toBe(200)
  }
  await app.close()
})

test('429: the agents of an organization are at their limit, and its people and others’ agents are answered', async () => {
  const { app, held, ask } = createApp()
  const agent = { 'x-agent': '1' }
  const slow = Array.from({ length: organizationRequestsAtOnce }, async () =>
    ask('/slow', 1, agent),
  )
  await expect.poll(() => held.handlers).toBe(organizationRequestsAtOnce)
  const refused = await ask('/quick', 1, agent)
  expect([refused.statusCode, refused.json().code]).toEqual([429, 'too_many_at_once'])
  expect(refused.json().error).toMatch(/^The agents of your organization have 100 requests/)
  expect(refused.headers['retry-after']).toBe('1')
  expect((await ask('/quick', 1)).statusCode).toBe(200)
  expect((await ask('/quick', 2, agent)).statusCode).toBe(200)
  held.until.resolve()
  await Promise.all(slow)
  expect((await ask('/quick', 1, agent)).statusCode).toBe(200)
  await app.close()
})

test('200: requests whose clients have disconnected count until their handlers have ended, and no longer', async () => {
  const { app, held, ask } = createApp()
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const asked = Array.from({ length: organizationRequestsAtOnce }, () => {
    const headers = { 'x-organization': '1' }
    const one = request({ host: '127.0.0.1', port, path: '/slow', headers, agent: false })
    one.on('error', () => undefined)
    one.end()
    return one
  })
  await expect.poll(() => held.handlers).toBe(organizationRequestsAtOnce)
  for (const one of asked) one.destroy()
  await expect
    .poll(async () => new Promise((resolve) => app.server.getConnections((_, n) => resolve(n))))
    .toBe(0)
  expect((await ask('/quick', 1)).statusCode).toBe(429)
  held.until.resolve()
  await expect.poll(async () => (await ask('/quick', 1)).statusCode).toBe(200)
  await app.close()
})

test('200: pipelined requests whose connection is closed, however their handlers end', async () => {
  const { app, held, ask } = createApp()
  let hijacked = 0
  app.get('/hijacked', async (_request, reply) => {
    await held.until.promise
    hijacked += 1
    return reply.hijack()
  })
  app.get('/nothing', async () => held.until.promise)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  for (const last of ['/quick', '/slow', '/hijacked', '/nothing']) {
    held.until = Promise.withResolvers()
    held.handlers = 0
    const paths = ['/slow', ...Array.from({ length: organizationRequestsAtOnce - 1 }, () => last)]
    const client = connect(port, '127.0.0.1')
    client.write(
      paths.map((path) => `GET ${path} HTTP/1.1\r\nhost: a\r\nx-organization: 1\r\n\r\n`).join(''),
    )
    await expect.poll(async () => (await ask('/quick', 1)).statusCode).toBe(429)
    client.destroy()
    await expect
      .poll(async () => new Promise((resolve) => app.server.getConnections((_, n) => resolve(n))))
      .toBe(0)
    held.until.resolve()
    // All places are free: as many requests are answered at once.
    const many = async () =>
      Promise.all(Array.from({ length: organizationRequestsAtOnce }, async () => ask('/quick', 1)))
    await expect
      .poll(async () => new Set((await many()).map(({ statusCode }) => statusCode)))
      .toEqual(new Set([200]))
  }
  expect(hijacked).toBe(organizationRequestsAtOnce - 1)
  await app.close()
})
