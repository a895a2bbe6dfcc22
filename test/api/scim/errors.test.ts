import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { scimClient, type ScimClient } from './scim-client.ts'

let harness: Harness
let idp: ScimClient
beforeAll(async () => {
  harness = await createHarness({ env: { CC_RATE_LIMITS: 'scim=300,address=1000000' } })
  idp = await scimClient(harness, await harness.organization())
})
afterAll(async () => harness.close())

const base = '/api/scim/v2'
const as = (token: string) => ({ authorization: `Bearer ${token}` })

describe('the SCIM envelope of each refusal', () => {
  test.each([
    ['GET', '/nosuch', undefined, 404],
    ['POST', '/nosuch', '{', 404],
    ['GET', '', undefined, 404],
    ['GET', '/', undefined, 404],
    ['GET', '/users', undefined, 404],
    ['GET', '/Users/x/y', undefined, 404],
    ['GET', '/%ff', undefined, 400],
    ['GET', '/Schemas?filter=id%20pr', undefined, 403],
    ['GET', '/ResourceTypes?filter=x', undefined, 403],
    ['GET', '/ServiceProviderConfig?filter=', undefined, 403],
    ['POST', '/Bulk', '{', 501],
    ['GET', '/Me', undefined, 501],
    ['POST', '/.search', '{}', 501],
    ['POST', '/Users/.search', '{}', 501],
    ['POST', '/Users', '{', 400],
    ['POST', '/Users', 'x'.repeat(1_100_000), 413],
  ] as const)('%s %s: %s → %i', async (method, path, body, status) => {
    const answer = await idp.call(method, path, body)
    expect([answer.statusCode, answer.json().status], answer.body).toEqual([status, String(status)])
    expect(answer.headers['content-type']).toBe('application/scim+json; charset=utf-8')
    expect(answer.headers['x-request-id']).toBeTruthy()
  })

  test('405 with Allow: each address with each unsupported method', async () => {
    const table = {
      '/ServiceProviderConfig': 'GET',
      '/Schemas': 'GET',
      '/ResourceTypes/User': 'GET',
      '/Users': 'GET, POST',
      '/Groups/x': 'GET, PUT, PATCH, DELETE',
    }
    for (const [path, allow] of Object.entries(table))
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) {
        if (allow.split(', ').includes(method)) continue
        const answer = await idp.call(method, path, method === 'GET' ? undefined : '{}')
        expect([answer.statusCode, answer.headers['allow'], answer.json().status]).toEqual([
          405,
          allow,
          '405',
        ])
      }
  })

  test('401 with WWW-Authenticate: no token, no scheme, another kind of token, also on unknown addresses', async () => {
    for (const url of [`${base}/Users`, `${base}/nosuch`, `${base}/Bulk`])
      for (const headers of [
        {},
        { authorization: 'non-token' },
        as('x'),
        as(`${idp.token}x`),
        { authorization: `Basic ${idp.token}` },
      ]) {
        const answer = await harness.app.inject({ url, headers })
        expect([
          answer.statusCode,
          answer.headers['www-authenticate'],
          answer.json().status,
        ]).toEqual([401, 'Bearer realm="cloud-control"', '401'])
      }
  })

  test('415: a type other than JSON; application/json is accepted too', async () => {
    const send = async (type: string) =>
      idp.call('POST', '/Users', '{"userName":"type@acme.test"}', {
        headers: { 'content-type': type },
      })
    for (const type of ['text/plain', 'application/xml', 'application/x-www-form-urlencoded']) {
      const answer = await send(type)
      expect([answer.statusCode, answer.json().detail]).toEqual([
        415,
        'Send application/scim+json or application/json.',
      ])
    }
    expect((await send('application/json; charset=utf-8')).statusCode).toBe(201)
  })

  test('429 with Retry-After: each token has its own limit', async () => {
    const other = await scimClient(harness, await harness.organization())
    let answer = await other.get('/ServiceProviderConfig')
    for (let at = 0; at < 310 && answer.statusCode === 200; at += 1)
      answer = await other.get('/ServiceProviderConfig')
    expect([answer.statusCode, answer.json().status]).toEqual([429, '429'])
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
    expect((await idp.get('/ServiceProviderConfig')).statusCode).toBe(200)
  })
})

test.each([
  'roles',
  'Roles.value',
  'roles.display',
  'roles[primary eq "True"].display',
  'roles[type eq "x"].value',
  'roles[',
  'urn:ietf:params:scim:schemas:core:2.0:User:roles.x.y',
  'groups.type',
  'groups[nosuch eq 1]',
  'groups[value eq "1"]',
  'meta.nosuch',
])('400 mutability: a PATCH of what is read-only, in every shape: %s', async (path) => {
  const { id } = await idp.user(`${randomBytes(6).toString('hex')}@acme.test`)
  for (const op of ['add', 'replace', 'remove']) {
    const answer = await idp.patch(`/Users/${id}`, {
      op,
      path,
      ...(op !== 'remove' && { value: 'Owner' }),
    })
    expect([answer.statusCode, answer.json().scimType], answer.body).toEqual([400, 'mutability'])
  }
})

test.each([
  ['rolesx.display', 'invalidPath'],
  ['emails.nosuch', 'invalidPath'],
  ['emails[nosuch eq 1]', 'invalidFilter'],
])('400: a path that names nothing: %s → %s', async (path, scimType) => {
  const { id } = await idp.user(`${randomBytes(6).toString('hex')}@acme.test`)
  const answer = await idp.patch(`/Users/${id}`, { op: 'replace', path, value: 'x' })
  expect([answer.statusCode, answer.json().scimType], answer.body).toEqual([400, scimType])
})

describe('GET /api/org/scim/log', () => {
  test('200: each change and each refusal, newest first, by pages, without reads', async () => {
    const org = await harness.organization()
    const client = await scimClient(harness, org)
    const admin = await org.user('Org Admin')
    const { id } = await client.user('log@acme.test')
    await client.get(`/Users/${id}`)
    await client.patch(
      `/Users/${id}`,
      { op: 'replace', path: 'active', value: 'False' },
      { op: 'add', path: 'phoneNumbers', value: [{ value: '+49 170' }] },
    )
    await client.patch(`/Users/${id}`, { op: 'add', path: 'roles', value: 'Owner' })
    await expect
      .poll(async () => (await admin.get('/api/org/scim/log')).json().entries.length)
      .toBe(3)
    const { entries } = (await admin.get('/api/org/scim/log')).json()
    expect(entries).toMatchObject([
      {
        outcome: 'failure',
        status: 400,
        scimType: 'mutability',
        detail: '"roles" is read-only.',
        request: { method: 'PATCH' },
        target: null,
      },
      {
        outcome: 'success',
        status: 200,
        token: { name: 'idp' },
        request: { method: 'PATCH', path: `${base}/Users/${id}` },
        target: { kind: 'user', id, label: 'log@acme.test' },
        changes: { active: { from: true, to: false }, attributes: { to: ['phoneNumbers'] } },
      },
      { outcome: 'success', status: 201 },
    ])
    expect(JSON.stringify(entries)).not.toContain('+49')
    const first = (await admin.get('/api/org/scim/log?limit=2')).json()
    const second = (await admin.get(`/api/org/scim/log?limit=2&cursor=${first.nextCursor}`)).json()
    expect([first.entries.length, second.entries.length, second.nextCursor]).toEqual([2, 1, null])
    expect((await admin.get('/api/org/scim/log?outcome=failure')).json().entries).toHaveLength(1)

    const { entries: audited } = (await admin.get('/api/audit?event=scim.user_deactivated')).json()
    expect(audited).toMatchObject([{ actor: { kind: 'scim', label: 'idp' }, outcome: 'success' }])
    const stranger = await (await harness.organization()).user('Owner')
    expect((await stranger.get('/api/org/scim/log')).json().entries).toEqual([])
  })

  test('200: of a long name the log and the audit entry have the first 300 characters', async () => {
    const org = await harness.organization()
    const client = await scimClient(harness, org)
    const admin = await org.user('Org Admin')
    const { id, displayName } = await client.user('long@acme.test', {
      displayName: 'l'.repeat(900),
    })
    expect(displayName).toBe('l'.repeat(900))
    const renamed = { op: 'replace', path: 'displayName', value: 'm'.repeat(900) }
    expect((await client.patch(`/Users/${id}`, renamed)).statusCode).toBe(200)
    const short = (letter: string) => `${letter.repeat(299)}…`
    const created = { from: null, to: short('l') }
    const updated = { from: short('l'), to: short('m') }
    const { entries } = (await admin.get('/api/org/scim/log')).json()
    expect(entries).toMatchObject([{ changes: { name: updated } }, { changes: { name: created } }])
    for (const [event, name] of [
      ['created', created],
      ['updated', updated],
    ] as const) {
      const audited = (await admin.get(`/api/audit?event=scim.user_${event}`)).json()
      expect(audited.entries).toMatchObject([{ detail: { name } }])
    }
  })
})
