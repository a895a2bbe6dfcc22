import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(() => harness.close())

const post = async (
  cookie: string,
  place: { method: 'POST' | 'PATCH' | 'DELETE'; url: string; body: string },
) =>
  harness.app.inject({
    method: place.method,
    url: place.url,
    payload: place.body,
    headers: {
      cookie: `cc_session=${cookie}`,
      origin: harness.config.baseUrl,
      'content-type': 'application/json',
    },
  })

test.each([
  ['a field twice', '{"role":"Viewer","role":"Org Admin"}'],
  ['a field twice, once escaped', '{"role":"Viewer","r\\u006fle":"Org Admin"}'],
  ['a prototype', '{"role":"Org Admin","__proto__":{}}'],
  ['a NUL', '{"role":"Org Admin","name":"a\\u0000"}'],
  ['half of a surrogate pair', '{"role":"Org Admin","name":"\\ud800"}'],
  ['a line break', '{"role":"Org Admin","name":"a\\r\\nBcc: x@y.example"}'],
  ['another order of what follows', '{"role":"Org Admin","name":"a\\u202egro.live"}'],
  ['depth', `{"role":"Org Admin","name":${'['.repeat(5_000)}${']'.repeat(5_000)}}`],
  ['an unknown field', '{"role":"Org Admin","platformAdmin":true}'],
  ['no JSON', '{"role":"Org Admin"'],
])('400: %s, and nothing is changed', async (_what, body) => {
  const org = await harness.organization()
  const [owner, user] = [await org.user('Owner'), await org.user('Viewer')]
  const url = `/api/org/users/${user.id}`
  const before = (await owner.get(url)).json()
  const response = await post(owner.cookie, { method: 'PATCH', url, body })
  expect([response.statusCode, typeof response.json().code]).toEqual([400, 'string'])
  expect((await owner.get(url)).json()).toEqual(before)
  // A user of another organization gets 404 for this id with any body.
  const stranger = await (await harness.organization()).user('Owner')
  expect((await post(stranger.cookie, { method: 'PATCH', url, body })).statusCode).toBe(404)
})

test('400: invalid UTF-8, which a decoder would replace by U+FFFD', async () => {
  const owner = await (await harness.organization()).user('Owner')
  const payload = Buffer.concat([
    Buffer.from('{"tagKey":"'),
    Buffer.from([0xff]),
    Buffer.from('"}'),
  ])
  const headers = { 'content-type': 'application/json' }
  const response = await owner.post('/api/workspaces', undefined, { payload, headers })
  expect([response.statusCode, response.json()]).toEqual([
    400,
    { error: 'The body is not UTF-8, which is refused.', code: 'malformed_json' },
  ])
})

test('400: a route without fields refuses them and has no effect', async () => {
  const org = await harness.organization()
  const admin = await org.user('Owner', { platformAdmin: true })
  const { id } = await harness.organization()
  for (const url of [
    '/api/auth/mfa/enroll',
    `/api/admin/organizations/${id}/suspend`,
    '/api/auth/logout',
  ]) {
    const fields = await admin.post(url, { reason: 'x' })
    expect([fields.statusCode, fields.json().details], url).toEqual([
      400,
      [{ path: 'reason', message: 'is not a field of this request' }],
    ])
    for (const body of ['[]', 'null', '7']) {
      const headers = { 'content-type': 'application/json' }
      const odd = await admin.post(url, undefined, { payload: body, headers })
      expect([odd.statusCode, odd.json().code], `${url} ${body}`).toEqual([
        400,
        'validation_failed',
      ])
    }
  }
  const { platform } = harness.deps.store
  expect(await platform('second_factors').where({ userId: admin.id })).toEqual([])
  expect(await platform('organizations').where({ id }).first('status')).toEqual({
    status: 'active',
  })
  // An empty object counts as no body.
  expect((await admin.post('/api/auth/logout', {})).statusCode).toBe(200)
})

test('400: invalid JSON is reported with line and column', async () => {
  const owner = await (await harness.organization()).user('Owner')
  const body = '{\n  "name": "net"\n  "criticality": "standard"\n}'
  const response = await post(owner.cookie, { method: 'POST', url: '/api/workspaces', body })
  expect([response.statusCode, response.json()]).toEqual([
    400,
    {
      error: 'The body is not JSON (at line 3, column 3).',
      code: 'malformed_json',
      details: [{ path: 'body', message: 'is not JSON from here on', line: 3, column: 3 }],
    },
  ])
})

test('400: an invalid name gets the same readable message on every route', async () => {
  const owner = await (await harness.organization()).user('Owner')
  for (const name of ['Net', '-net', 'net work', 'n'.repeat(70)]) {
    const response = await owner.post('/api/workspaces', { name })
    expect(response.statusCode, name).toBe(400)
    expect(response.body).toContain(
      'must be 1 to 63 lower-case letters, digits and hyphens, of which the first is no hyphen',
    )
    expect(response.body).not.toContain('pattern')
  }
})

test('400: a number that parses as Infinity', async () => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const { url } = await org.workspace({ by: owner })
  for (const place of [
    { method: 'PATCH', url: '/api/org/settings', body: '{"anomalyMinimum":1e999}' },
    { method: 'POST', url: `${url}/apply`, body: '{"vars":{"word":1e999}}' },
  ] as const)
    expect((await post(owner.cookie, place)).statusCode, place.url).toBe(400)
})

test('404 before 400: a malformed body does not reveal whether a resource exists', async () => {
  const [own, other] = [await harness.organization(), await harness.organization()]
  const [owner, stranger] = [await own.user('Owner'), await other.user('Owner')]
  const person = await own.user('Viewer')
  const session = (await owner.get('/api/auth/sessions')).json().sessions[0].id
  const token = await owner.post('/api/auth/tokens', { name: 'ci', role: 'Viewer' })
  const scim = await owner.post('/api/org/scim', { name: 'idp' })
  const mapping = await owner.post('/api/org/group-mappings', { groupName: 'ops', role: 'Viewer' })
  for (const url of [
    `/api/org/users/${person.id}`,
    `/api/auth/sessions/${session}`,
    `/api/auth/tokens/${token.json().id}`,
    `/api/org/tokens/${token.json().id}`,
    `/api/org/scim/${scim.json().id}`,
    `/api/org/group-mappings/${mapping.json().groupMapping.id}`,
  ]) {
    const place = { method: 'DELETE', url, body: '{"a":' } as const
    expect((await post(stranger.cookie, place)).statusCode, url).toBe(404)
    expect((await post(owner.cookie, place)).statusCode, url).toBe(400)
  }
  // Nothing was deleted. A user's token is not found for another user of the same organization.
  expect((await owner.get(`/api/org/users/${person.id}`)).statusCode).toBe(200)
  const url = `/api/auth/tokens/${token.json().id}`
  expect((await post(person.cookie, { method: 'DELETE', url, body: '{"a":' })).statusCode).toBe(404)
})

test('400: a name of only spaces, and a name with a line break', async () => {
  const owner = await (await harness.organization()).user('Owner')
  for (const name of ['   ', '\u00a0\u3000', 'a\nb']) {
    const user = await owner.post('/api/org/users', { email: 'a@b.example', name, role: 'Viewer' })
    const policy = {
      name,
      rego: 'package cloudcontrol',
      enforcement: 'advisory',
      workspaces: 'all',
    }
    const statuses = [user, await owner.post('/api/policies', policy)].map((one) => one.statusCode)
    expect(statuses, name).toEqual([400, 400])
  }
})

test('201: a file may be called constructor', async () => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const { url } = await org.workspace({ by: owner })
  const files = { 'main.tf': '', constructor: 'a', 'modules/__proto__': 'b', toString: 'c' }
  expect((await owner.put(`${url}/configuration`, { files })).statusCode).toBe(201)
  const { configuration } = (await owner.get(`${url}/configuration`)).json()
  expect(configuration.files).toEqual(files)
})

test('400: a field sent to a route without fields, which has no effect', async () => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const { url } = await org.workspace({ by: owner })
  const body = '{"abandon":true}'
  const response = await post(owner.cookie, { method: 'DELETE', url, body })
  expect([response.statusCode, response.json()]).toEqual([
    400,
    {
      error: 'abandon: is not a field of this request',
      code: 'validation_failed',
      details: [{ path: 'abandon', message: 'is not a field of this request' }],
    },
  ])
  expect((await owner.get(url)).statusCode).toBe(200)
  const stranger = await (await harness.organization()).user('Owner')
  expect((await post(stranger.cookie, { method: 'DELETE', url, body })).statusCode).toBe(404)
  expect((await post(owner.cookie, { method: 'DELETE', url, body: '{}' })).statusCode).toBe(200)
})

test('400 for a key of the wrong form says the form, and an unknown field beside it is one', async () => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const workspace = await org.workspace({ by: owner })
  const refused = await owner.patch(workspace.url, { labels: { Team: 'shop', ok: 'x' }, label: 1 })
  const told = Object.fromEntries(
    refused
      .json()
      .details.map(({ path, message }: { path: string; message: string }) => [path, message]),
  )
  expect([refused.statusCode, told]).toEqual([
    400,
    {
      'labels.Team':
        'is not a key that is allowed here: a key is 1 to 63 lower-case letters, digits, "_", ".", "/" and "-", of which the first is a letter or digit',
      label: 'is not a field of this request',
    },
  ])
  const started = await owner.post(`${workspace.url}/plan`, { vars: { 'a b': 1 } })
  expect(started.json().error).toBe(
    'vars.a b: is not a key that is allowed here: a key is the name of a variable: letters, digits, "_" and "-", of which the first is a letter or "_"',
  )
  const agent = await owner.post('/api/agents', {
    name: 'web-1',
    workspaceId: workspace.id,
    labels: { 'a=b': 'x' },
  })
  expect(agent.json().error).toMatch(
    /^labels\.a=b: is not a key that is allowed here: a key is letters,/,
  )
})
