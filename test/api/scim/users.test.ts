import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { approvedRun } from '../users/approve-as.ts'
import { enterpriseUrn, scimClient, userUrn } from './scim-client.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

const start = async () => {
  const org = await harness.organization()
  return { org, idp: await scimClient(harness, org) }
}
const filtered = (filter: string) => `/Users?filter=${encodeURIComponent(filter)}`
const deactivate = { op: 'replace', path: 'active', value: false }

describe('/Users', () => {
  test('201: a user with the attributes sent, as Viewer, with missing attributes derived', async () => {
    const { idp } = await start()
    const body = {
      schemas: [userUrn, enterpriseUrn],
      userName: 'Ada.Lovelace@acme.test',
      name: { formatted: 'Ada King Lovelace' },
      externalId: 'X-1',
      active: true,
      title: 'Countess',
      phoneNumbers: [{ value: '+44 1', type: 'work' }],
      addresses: [{ type: 'work', formatted: 'St James\nLondon', country: 'GB' }],
      password: 'never kept',
      roles: [{ value: 'Owner' }],
      groups: [{ value: 'x' }],
      [enterpriseUrn]: { department: 'Engines', manager: { value: '26118915' } },
      'urn:example:custom': { color: 'red' },
    }
    const made = await idp.post('/Users', body)
    expect([made.statusCode, made.headers['content-type']]).toEqual([
      201,
      'application/scim+json; charset=utf-8',
    ])
    const user = made.json()
    const location = `${harness.config.baseUrl}/api/scim/v2/Users/${user.id}`
    expect(made.headers).toMatchObject({ location, etag: 'W/"1"' })
    expect(user).toEqual({
      schemas: [userUrn, enterpriseUrn],
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      userName: body.userName,
      externalId: 'X-1',
      name: { formatted: 'Ada King Lovelace', givenName: 'Ada', familyName: 'King Lovelace' },
      displayName: 'Ada King Lovelace',
      active: true,
      title: 'Countess',
      emails: [{ value: body.userName, type: 'work', primary: true }],
      phoneNumbers: body.phoneNumbers,
      addresses: body.addresses,
      [enterpriseUrn]: body[enterpriseUrn],
      roles: [{ value: 'Viewer', primary: true }],
      meta: {
        resourceType: 'User',
        created: expect.any(String),
        lastModified: expect.any(String),
        location,
        version: 'W/"1"',
      },
    })
    expect((await idp.get(`/Users/${user.id}`)).json()).toEqual(user)
    expect(harness.logged()).not.toContain('never kept')
  })

  test('409 uniqueness: the same user name in any case; the address of an invited user', async () => {
    const { org, idp } = await start()
    await idp.user('bob@acme.test')
    const invited = await org.user('Viewer')
    for (const body of [
      { userName: 'BOB@ACME.test', emails: [{ value: 'other@acme.test' }] },
      { userName: 'another', emails: [{ value: 'Bob@acme.test', primary: true }] },
      { userName: invited.email.toUpperCase(), emails: [{ value: 'free@acme.test' }] },
    ]) {
      const refused = await idp.post('/Users', body)
      expect(refused.statusCode).toBe(409)
      expect(refused.json()).toMatchObject({ status: '409', scimType: 'uniqueness' })
    }
  })

  test('201 once: fifty concurrent requests with one user name', async () => {
    const { idp } = await start()
    const answers = await Promise.all(
      Array.from({ length: 50 }, async (_, at) =>
        idp.post('/Users', { userName: at % 2 ? 'one@acme.test' : 'ONE@acme.test' }),
      ),
    )
    const statuses = answers.map(({ statusCode }) => statusCode)
    expect(statuses.filter((status) => status === 201)).toHaveLength(1)
    expect(statuses.filter((status) => status === 409)).toHaveLength(49)
  })

  test('200: an invited user is found, shown in full, and may be linked', async () => {
    const { org, idp } = await start()
    const invited = await org.user('Deployer')
    const { Resources } = (
      await idp.get(filtered(`userName eq "${invited.email.toUpperCase()}"`))
    ).json()
    expect(Resources).toMatchObject([
      {
        userName: invited.email,
        active: true,
        name: { givenName: expect.stringMatching(/./), familyName: expect.stringMatching(/./) },
        emails: [{ value: invited.email, primary: true }],
        roles: [{ value: 'Deployer', primary: true }],
      },
    ])
    const [{ id }] = Resources
    expect(
      (await idp.patch(`/Users/${id}`, { op: 'add', path: 'externalId', value: 'E1' })).statusCode,
    ).toBe(200)
    expect((await idp.get(filtered('externalId eq "E1"'))).json().Resources).toMatchObject([{ id }])
    expect((await idp.get(filtered('externalId eq "e1"'))).json().totalResults).toBe(0)
  })

  test('200: SCIM shows a change that was made in the product', async () => {
    const { org, idp } = await start()
    const admin = await org.user('Owner')
    const { id } = await idp.user('eve@acme.test', {
      emails: [{ value: 'eve@acme.test', type: 'work' }],
      displayName: 'Eve',
    })
    const [person] = (await admin.get('/api/org/users?q=eve@acme.test')).json().users
    await admin.patch(`/api/org/users/${person.id}`, { name: 'Eva', email: 'eva@acme.test' })
    expect((await idp.get(`/Users/${id}`)).json()).toMatchObject({
      userName: 'eve@acme.test',
      displayName: 'Eva',
      emails: [{ value: 'eva@acme.test' }],
    })
    expect((await idp.get(filtered('emails.value eq "EVA@acme.test"'))).json().totalResults).toBe(1)
    expect((await idp.get(filtered('emails.value eq "eve@acme.test"'))).json().totalResults).toBe(0)
  })

  test('200: deactivation ends the user’s sessions, API tokens and approvals, and no others', async () => {
    const { org, idp } = await start()
    const [one, other] = [await org.user('Deployer'), await org.user('Deployer')]
    const run = await approvedRun(harness.deps, org, one)
    const token = await one.token('Viewer')
    const withToken = async () =>
      harness.app.inject({ url: '/api/auth/me', headers: { authorization: `Bearer ${token}` } })
    expect([(await one.get('/api/auth/me')).statusCode, (await withToken()).statusCode]).toEqual([
      200, 200,
    ])
    const [{ id }] = (await idp.get(filtered(`userName eq "${one.email}"`))).json().Resources

    const done = await idp.patch(`/Users/${id}`, { op: 'Replace', path: 'active', value: 'False' })
    expect(done.json().active).toBe(false)
    expect([(await one.get('/api/auth/me')).statusCode, (await withToken()).statusCode]).toEqual([
      401, 401,
    ])
    expect(await run.now()).toMatchObject({ phase: 'awaiting_approval', approved: false })
    expect((await other.get('/api/auth/me')).statusCode).toBe(200)

    const back = await idp.patch(`/Users/${id}`, { op: 'add', path: 'active', value: true })
    expect(back.json().active).toBe(true)
    expect([(await one.get('/api/auth/me')).statusCode, (await withToken()).statusCode]).toEqual([
      401, 401,
    ])
  })

  test('204, 404: a deprovisioned user is gone; the same user name creates a new user', async () => {
    const { idp } = await start()
    const { id } = await idp.user('gone@acme.test', { externalId: 'g' })
    expect((await idp.delete(`/Users/${id}`)).statusCode).toBe(204)
    for (const answer of [
      await idp.get(`/Users/${id}`),
      await idp.patch(`/Users/${id}`, deactivate),
      await idp.delete(`/Users/${id}`),
      await idp.put(`/Users/${id}`, { userName: 'gone@acme.test' }),
    ])
      expect(answer.statusCode).toBe(404)
    expect((await idp.get(filtered('externalId eq "g"'))).json().totalResults).toBe(0)
    expect((await idp.user('gone@acme.test')).id).not.toBe(id)
  })

  test('200 PUT: missing attributes are cleared, `active` defaults to true, name and e-mail are derived', async () => {
    const { idp } = await start()
    const { id } = await idp.user('pat@acme.test', { title: 'T', externalId: 'p', active: false })
    const put = await idp.put(`/Users/${id}`, {
      schemas: [userUrn],
      userName: 'pat@acme.test',
      roles: [{ value: 'Owner' }],
    })
    expect(put.statusCode).toBe(200)
    expect(put.json()).toMatchObject({
      active: true,
      emails: [{ value: 'pat@acme.test' }],
      roles: [{ value: 'Viewer' }],
    })
    expect(put.json()).not.toHaveProperty('title')
    expect(put.json()).not.toHaveProperty('externalId')
    const unknown = '00000000-0000-4000-8000-000000000000'
    expect((await idp.put(`/Users/${unknown}`, { userName: 'x' })).statusCode).toBe(404)
    expect((await idp.put(`/Users/${id}`, {})).json().scimType).toBe('invalidValue')
    const { meta, ...got } = (await idp.get(`/Users/${id}`)).json()
    const same = await idp.put(`/Users/${id}`, got)
    expect(same.json()).toMatchObject(got)
    expect(meta.version).toBe('W/"2"')
  })

  test('412: two clients change the version that both have read, and one is refused; a no-op changes nothing', async () => {
    const { idp } = await start()
    const { id } = await idp.user('tag@acme.test')
    const change = (value: string) =>
      idp.call(
        'PATCH',
        `/Users/${id}`,
        { Operations: [{ op: 'add', path: 'title', value }] },
        { headers: { 'if-match': 'W/"1"' } },
      )
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map(change))
    const statuses = answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)
    expect(statuses).toEqual([200, 412, 412, 412])
    const same = await idp.patch(`/Users/${id}`, { op: 'add', path: 'active', value: true })
    expect([same.statusCode, same.headers.etag]).toEqual([200, 'W/"2"'])
    expect(
      (await idp.call('DELETE', `/Users/${id}`, undefined, { headers: { 'if-match': 'W/"1"' } }))
        .statusCode,
    ).toBe(412)
    expect(
      (await idp.call('DELETE', `/Users/${id}`, undefined, { headers: { 'if-match': '*' } }))
        .statusCode,
    ).toBe(204)
  })

  test('400, 409: an Owner’s address cannot be changed, and the last Owner cannot be deactivated', async () => {
    const { org, idp } = await start()
    const owner = await org.user('Owner')
    const [{ id }] = (await idp.get(filtered(`userName eq "${owner.email}"`))).json().Resources
    const attacks = [
      await idp.patch(`/Users/${id}`, {
        op: 'replace',
        path: 'emails[type eq "work"].value',
        value: 'evil@x.test',
      }),
      await idp.patch(`/Users/${id}`, { op: 'replace', path: 'userName', value: 'evil@x.test' }),
      // An assertion that names mallory would sign her in as the Owner.
      await idp.patch(`/Users/${id}`, { op: 'replace', path: 'userName', value: 'mallory' }),
      await idp.patch(
        `/Users/${id}`,
        { op: 'remove', path: 'emails' },
        { op: 'replace', path: 'userName', value: 'evil@x.test' },
      ),
      await idp.put(`/Users/${id}`, {
        userName: owner.email,
        emails: [{ value: 'evil@x.test', primary: true }],
      }),
    ]
    for (const attack of attacks)
      expect([attack.statusCode, attack.json().scimType]).toEqual([400, 'mutability'])
    const me = (await owner.get('/api/auth/me')).json()
    expect(me.user.email).toBe(owner.email)
    const named = { op: 'replace', path: 'userName', value: owner.email.toUpperCase() }
    expect((await idp.patch(`/Users/${id}`, named)).statusCode).toBe(200)

    // The client of these tests has its own Owner, so the other Owners are deactivated first.
    const owners = (await idp.get(filtered('roles.value eq "Owner"'))).json().Resources
    expect(owners).toHaveLength(2)
    expect((await idp.patch(`/Users/${owners[0].id}`, deactivate)).statusCode).toBe(200)
    const last = owners[1].id
    for (const refused of [
      await idp.patch(`/Users/${last}`, deactivate),
      await idp.delete(`/Users/${last}`),
      await idp.put(`/Users/${last}`, { userName: owners[1].userName, active: false }),
    ]) {
      expect(refused.statusCode).toBe(409)
      expect(refused.json().detail).toMatch(/last active Owner/)
    }
  })

  test('200: a changed address is notified at the old address', async () => {
    const { idp } = await start()
    const { id } = await idp.user('old@acme.test')
    await idp.patch(`/Users/${id}`, {
      op: 'replace',
      path: 'emails',
      value: [{ value: 'new@acme.test', primary: true }],
    })
    expect((await harness.mailTo('old@acme.test')).text).toContain('new@acme.test')
  })
})
