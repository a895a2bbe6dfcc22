import fastify from 'fastify'
import { expect, test } from 'vitest'
import type { Caller } from '../../../domain/access/caller.ts'
import {
  organizationRequestsAtOnce,
  registerRequestsInFlight,
} from '../../../api/http/requests-in-flight.ts'
import { registerErrors } from '../../../api/http/errors.ts'

test('429: one organization is at its limit of concurrent requests, and another is answered', async () => {
  const app = fastify()
  registerErrors(app)
  app.decorateRequest('caller')
  app.decorateRequest('scimCaller')
  app.addHook('onRequest', (request, _reply, next) => {
    // The limit applies to the organization, whichever credential is used.
    request.caller = { organizationId: Number(request.headers['x-organization']) } as Caller
    next()
  })
  registerRequestsInFlight(app)
  let held = Promise.withResolvers<void>()
  app.get('/slow', async () => held.promise.then(() => ({ ok: true })))
  app.get('/quick', async () => ({ ok: true }))
  const ask = async (url: string, organization: number) =>
    app.inject({ url, headers: { 'x-organization': String(organization) } })

  for (let round = 0; round < 3; round += 1) {
    held = Promise.withResolvers<void>()
    const slow = Array.from({ length: organizationRequestsAtOnce }, async () => ask('/slow', 1))
    await expect.poll(async () => (await ask('/quick', 1)).statusCode).toBe(429)
    const refused = await ask('/quick', 1)
    expect(refused.json()).toMatchObject({ code: 'too_many_at_once' })
    expect(refused.json().error).toContain(String(organizationRequestsAtOnce))
    expect(refused.headers['retry-after']).toBe('1')
    expect((await ask('/quick', 2)).statusCode).toBe(200)
    held.resolve()
    const statuses = (await Promise.all(slow)).map(({ statusCode }) => statusCode)
    expect(new Set(statuses)).toEqual(new Set([200]))
    // Finished and refused requests no longer count.
    expect((await ask('/quick', 1)).statusCode).toBe(200)
  }
  await app.close()
})
