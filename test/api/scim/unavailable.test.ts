import { connect } from 'node:net'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApp } from '../../../api/app.ts'
import { Secret } from '../../../config.ts'
import { databaseLogins } from '../../../gateways/keyring/database-logins.ts'
import { connectStore } from '../../../store/driver/connect.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { cuttableLink } from '../../harness/cuttable-link.ts'
import { scimClient, type ScimClient } from './scim-client.ts'

let harness: Harness
let idp: ScimClient
beforeAll(async () => {
  harness = await createHarness()
  idp = await scimClient(harness, await harness.organization())
})
afterAll(async () => harness.close())

const base = '/api/scim/v2'

test('503 in the SCIM envelope while the database is unreachable, and 200 once it is back', async () => {
  const { databaseUrl } = harness.config
  const link = await cuttableLink(new URL(databaseUrl.reveal()).host)
  const cuttable = new URL(databaseUrl.reveal())
  cuttable.host = link.address
  const logins = databaseLogins({ ...harness.config, databaseUrl: new Secret(cuttable.href) })
  const store = connectStore(logins, 4)
  const app = await createApp({ ...harness.deps, store })
  const headers = { authorization: `Bearer ${idp.token}` }
  const ask = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string) =>
    app.inject({
      method,
      url: `${base}${path}`,
      headers,
      ...(method !== 'GET' && { payload: { userName: 'away@acme.test' } }),
    })
  const { id } = await idp.user('there@acme.test')
  expect((await ask('GET', '/Users')).statusCode).toBe(200)
  await link.cut()
  for (const [method, path] of [
    ['GET', '/Users'],
    ['POST', '/Users'],
    ['PATCH', `/Users/${id}`],
    ['DELETE', `/Users/${id}`],
    ['GET', '/Groups?filter=displayName eq "x"'],
    ['GET', '/Schemas'],
    ['GET', '/nosuch'],
  ] as const) {
    const answer = await ask(method, path)
    expect([answer.statusCode, answer.json()], path).toEqual([
      503,
      {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
        status: '503',
        detail: 'The database cannot be reached. Try again in a moment.',
      },
    ])
    expect(answer.headers['content-type']).toBe('application/scim+json; charset=utf-8')
  }
  await link.mend()
  expect((await ask('GET', `/Users/${id}`)).statusCode).toBe(200)
  // The refused requests had no effect.
  expect((await idp.get('/Users?filter=userName sw "away"')).json().totalResults).toBe(0)
  await app.close()
  await store.close()
  await link.close()
})

test('503 while the server is closing, in the envelope of each address', async () => {
  const app = await createApp(harness.deps)
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const begun = async (path: string) => {
    const socket = connect(Number(port), '127.0.0.1')
    await once(socket, 'connect')
    // Sent partly before the close, so that the server does not treat the connection as idle.
    socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n`)
    return socket
  }
  const sockets = [await begun(`${base}/Users`), await begun('/api/auth/me')]
  await new Promise((resolve) => setTimeout(resolve, 200))
  const closed = app.close()
  await new Promise((resolve) => setTimeout(resolve, 200))
  const [scim = '', plain = ''] = await Promise.all(
    sockets.map(async (socket) => {
      socket.write(`authorization: Bearer ${idp.token}\r\n\r\n`)
      return text(socket)
    }),
  )
  await closed
  const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))
  expect(scim).toMatch(/^HTTP\/1.1 503 /)
  expect(scim).toMatch(/\r\ncontent-type: application\/scim\+json/i)
  expect(scim).toMatch(/\r\nretry-after: \d/i)
  expect(scim).toMatch(/\r\nconnection: close/i)
  expect(bodyOf(scim)).toMatchObject({ status: '503', schemas: [expect.stringMatching(/Error$/)] })
  expect(plain).toMatch(/^HTTP\/1.1 503 /)
  expect(bodyOf(plain)).toMatchObject({ code: 'restarting' })
})
