import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { enterpriseUrn, scimClient, type ScimClient } from './scim-client.ts'

let harness: Harness
let idp: ScimClient
beforeAll(async () => {
  harness = await createHarness()
  idp = await scimClient(harness, await harness.organization())
})
afterAll(async () => harness.close())

const filtered = (place: string, filter: string) => `/${place}?filter=${encodeURIComponent(filter)}`

// A connector creates a duplicate of a user whom its next request does not find.
describe('a connector finds the resources that it created', () => {
  const wide = (at: number, length = 1_000) =>
    Array.from({ length }, (_, nth) =>
      String.fromCodePoint(0x4e00 + ((at * 7_919 + nth * 104_729 + nth * nth * 31) % 20_000)),
    ).join('')

  test.each<[string, string]>([
    ['decomposed letters', 'Ame\u0301lie@acme.test'],
    ['space around it', '  spaced@acme.test '],
    ['quotes and backslashes', 'o"re\\illy@acme.test'],
    ['capitals of other scripts', 'ΣΊΣΥΦΟΣ@acme.test'],
  ])('by userName: %s', async (_, userName) => {
    const { id } = await idp.user(userName)
    const found = await idp.get(filtered('Users', `userName eq ${JSON.stringify(userName)}`))
    expect(found.json().Resources).toMatchObject([{ id }])
    const again = await idp.post('/Users', { userName })
    expect([again.statusCode, again.json().scimType]).toEqual([409, 'uniqueness'])
  })

  test('by displayName, for a group', async () => {
    const displayName = 'E\u0301quipe'
    const { id } = await idp.group(displayName)
    expect(
      (await idp.get(filtered('Groups', `displayName eq "${displayName}"`))).json().Resources,
    ).toMatchObject([{ id }])
  })

  test('201, 200 or 400, never 500: names of a thousand wide characters', async () => {
    const answers = [
      await idp.post('/Users', { userName: wide(1) }),
      await idp.post('/Users', { userName: 'wide@acme.test', externalId: wide(2) }),
      await idp.post('/Users', {
        userName: 'wide2@acme.test',
        emails: [{ value: 'wide2@acme.test', primary: true }, { value: `${wide(3)}@acme.test` }],
      }),
      await idp.post('/Groups', { displayName: wide(4) }),
      await idp.post('/Groups', { displayName: 'wide', externalId: wide(5) }),
      await idp.get(filtered('Users', `userName eq "${wide(6, 300)}"`)),
    ]
    for (const [at, { statusCode, body }] of answers.entries())
      expect([200, 201, 400], `${at}: ${body.slice(0, 200)}`).toContain(statusCode)
  })
})

describe('50 concurrent requests', () => {
  test('201 once: groups of one name', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, async (_, at) =>
        idp.post('/Groups', { displayName: at % 2 ? 'Same' : 'SAME' }),
      ),
    )
    const statuses = answers.map(({ statusCode }) => statusCode)
    expect(statuses.filter((status) => status === 201)).toHaveLength(1)
    expect(statuses.filter((status) => status === 409)).toHaveLength(49)
  })

  test('200 once: many people are renamed to one name', async () => {
    const people = await Promise.all(
      Array.from({ length: 10 }, async (_, at) => idp.user(`rename${at}@acme.test`)),
    )
    const answers = await Promise.all(
      people.map(async ({ id }) =>
        idp.patch(`/Users/${id}`, { op: 'replace', path: 'userName', value: 'wanted' }),
      ),
    )
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1)
    expect(answers.filter(({ statusCode }) => statusCode === 409)).toHaveLength(9)
  })

  test('412: many change the group version that they have read, and one succeeds', async () => {
    const { id } = await idp.group('versioned')
    const answers = await Promise.all(
      Array.from({ length: 10 }, async (_, at) =>
        idp.call(
          'PUT',
          `/Groups/${id}`,
          { displayName: `versioned ${at}` },
          { headers: { 'if-match': 'W/"1"' } },
        ),
      ),
    )
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1)
    expect(answers.filter(({ statusCode }) => statusCode === 412)).toHaveLength(9)
  })
})

describe('shapes of a request', () => {
  test('a content type without a body; unknown parameters; a repeated parameter', async () => {
    const { id } = await idp.user('shapes@acme.test')
    const typed = { headers: { 'content-type': 'application/scim+json' } }
    expect((await idp.call('GET', `/Users/${id}`, undefined, typed)).statusCode).toBe(200)
    expect((await idp.get(`/Users/${id}?aadOptscim062020`)).statusCode).toBe(200)
    for (const query of ['filter=a&filter=b', 'count=1&count=2', 'count=x', 'filter=%00'])
      expect((await idp.get(`/Users?${query}`)).json().status, query).toBe('400')
    for (const tag of ['x', 'W/"', '""', 'W/"99999999999999999999"'])
      expect(
        (await idp.call('DELETE', `/Users/${id}`, undefined, { headers: { 'if-match': tag } }))
          .statusCode,
        tag,
      ).toBe(412)
    expect((await idp.call('DELETE', `/Users/${id}`, undefined, typed)).statusCode).toBe(204)
  })

  test('400 invalidFilter: too deep, too long, too many terms; every filter is fast', async () => {
    const began = performance.now()
    for (const filter of [
      `${'('.repeat(11)}userName pr${')'.repeat(11)}`,
      `${'not ('.repeat(11)}userName pr${')'.repeat(11)}`,
      Array(21).fill('userName pr').join(' or '),
      `userName eq "${'x'.repeat(1_100)}"`,
      `userName eq "${'\\"'.repeat(400)}`,
      `emails[${'('.repeat(200)}`,
      'userName eq',
      'userName',
      'userName xx "a"',
      'eq "a"',
      'userName eq "a" and',
      'userName eq "a" userName eq "b"',
      'password eq "x"',
      'platformAdmin eq true',
      'users.password_hash pr',
      'id eq 1',
      'constructor pr',
      '__proto__ eq "x"',
    ]) {
      const answer = await idp.get(filtered('Users', filter))
      expect([answer.statusCode, answer.json().scimType], filter.slice(0, 60)).toEqual([
        400,
        'invalidFilter',
      ])
    }
    expect(performance.now() - began).toBeLessThan(10_000)
  })
})

describe('attributes of the enterprise extension by their bare names, as Entra ID documents them', () => {
  test('200: a manager is set in each shape, found and taken away', async () => {
    const { id: boss } = await idp.user('boss@acme.test')
    const { id } = await idp.user('report@acme.test')
    const reference = { $ref: `../Users/${boss}`, value: boss }
    const managerOf = async (operation: object) => {
      const answer = await idp.patch(`/Users/${id}`, operation)
      expect(answer.statusCode, answer.body).toBe(200)
      return answer.json()[enterpriseUrn]?.manager?.value
    }
    const found = async (filter: string) =>
      (await idp.get(`${filtered('Users', filter)}&attributes=id`)).json().Resources
    const isManager = `id eq "${id}" and manager eq "${boss}"`
    for (const value of [[reference], reference, boss, [{ value: boss }]]) {
      expect(await managerOf({ op: 'Add', path: 'manager', value })).toBe(boss)
      expect(await found(isManager)).toMatchObject([{ id }])
      expect(await managerOf({ op: 'Remove', path: 'manager' })).toBeUndefined()
      expect(await found(isManager)).toEqual([])
    }
    expect(await managerOf({ op: 'Replace', value: { manager: boss } })).toBe(boss)
  })

  test('200: bare names in a path, a filter and `attributes`; 400: names of no schema', async () => {
    const { id } = await idp.user('dept@acme.test')
    const patched = await idp.patch(`/Users/${id}`, {
      op: 'Replace',
      path: 'department',
      value: 'Ships',
    })
    expect(patched.json()[enterpriseUrn]).toEqual({ department: 'Ships' })
    const listed = await idp.get(
      `${filtered('Users', 'Department eq "ships"')}&attributes=department`,
    )
    expect(listed.json().Resources).toEqual([
      { schemas: expect.any(Array), id, [enterpriseUrn]: { department: 'Ships' } },
    ])
    const unknown = await idp.patch(`/Users/${id}`, { op: 'Replace', path: 'crew', value: 'x' })
    expect([unknown.statusCode, unknown.json().scimType]).toEqual([400, 'invalidPath'])
  })
})

describe('an extra slash in an address below the SCIM base', () => {
  test('201, 200: at the end, or after the base', async () => {
    const made = await idp.post('/Users/', { userName: 'slash@acme.test' })
    expect(made.statusCode, made.body).toBe(201)
    const { id, meta } = made.json()
    expect(meta.location).toMatch(`/api/scim/v2/Users/${id}`)
    const filter = encodeURIComponent('userName eq "slash@acme.test"')
    for (const path of [`/Users/?filter=${filter}`, `//Users?filter=${filter}`])
      expect((await idp.get(path)).json().Resources, path).toMatchObject([{ id }])
    for (const path of [`/Users/${id}/`, `//Users/${id}`, '/Groups/', '//Schemas/', '/Users/'])
      expect((await idp.get(path)).statusCode, path).toBe(200)
  })

  test('401, 404, 405: it opens nothing else', async () => {
    const bare = { headers: { authorization: 'Bearer none' } }
    for (const path of ['/Users/', '//Users'])
      expect((await idp.call('GET', path, undefined, bare)).statusCode, path).toBe(401)
    expect((await idp.delete('/Users/')).statusCode).toBe(405)
    for (const path of ['/', '//', '/Users//', '///Users', '/Users//x'])
      expect((await idp.get(path)).statusCode, path).toBe(404)
    const headers = { authorization: `Bearer ${idp.token}` }
    for (const url of ['/api//scim/v2/Users', '/api/users/', '/api/scim/v22/Users/', '//api/users'])
      expect((await harness.app.inject({ url, headers })).statusCode, url).toBe(404)
  })
})
