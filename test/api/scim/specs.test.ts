import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { scimClient, type ScimClient } from './scim-client.ts'

let harness: Harness
let idp: ScimClient
beforeAll(async () => {
  harness = await createHarness()
  const org = await harness.organization()
  // The first user in the list need not come from SCIM.
  await org.user('Viewer')
  idp = await scimClient(harness, org)
})
afterAll(async () => harness.close())

const filtered = (filter: string) => `/Users?filter=${encodeURIComponent(filter)}`

// The assertions of Okta's SPEC test, rewritten.
describe('Okta', () => {
  test('the first user in the list has names, an e-mail and `active`', async () => {
    const list = (await idp.get('/Users?count=1&startIndex=1')).json()
    expect(list).toMatchObject({ itemsPerPage: 1, startIndex: 1, totalResults: expect.any(Number) })
    expect(list.schemas).toContain('urn:ietf:params:scim:api:messages:2.0:ListResponse')
    const [user] = list.Resources
    for (const text of [
      user.id,
      user.userName,
      user.name.givenName,
      user.name.familyName,
      user.emails[0].value,
    ])
      expect(text).toMatch(/./)
    expect(user.active).toBe(true)
    const again = await idp.get(`/Users/${user.id}`)
    expect([again.statusCode, again.json().userName]).toEqual([200, user.userName])
  })

  test('an unknown name finds no user; an unknown id is 404 with the status as text', async () => {
    expect((await idp.get(filtered('userName eq "nosuch@acme.test"'))).json()).toMatchObject({
      totalResults: 0,
      Resources: [],
    })
    const missing = await idp.get('/Users/010101001010101011001010101011')
    expect([missing.statusCode, missing.json().status]).toEqual([404, '404'])
    expect(missing.json().schemas).toEqual(['urn:ietf:params:scim:api:messages:2.0:Error'])
  })

  test('create, create again, find in capitals; a wrong token; groups', async () => {
    const body = {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      userName: 'runscope@acme.test',
      name: { givenName: 'R', familyName: 'S' },
      emails: [{ primary: true, value: 'runscope@acme.test', type: 'work' }],
      displayName: 'R S',
      active: true,
      password: 'x',
      locale: 'en-US',
      groups: [],
    }
    const made = await idp.post('/Users', body)
    expect(made.json()).toMatchObject({
      active: true,
      userName: body.userName,
      name: { familyName: 'S', givenName: 'R' },
    })
    expect((await idp.post('/Users', body)).statusCode).toBe(409)
    expect((await idp.get(filtered('userName eq "RUNSCOPE@ACME.TEST"'))).json().totalResults).toBe(
      1,
    )
    const wrong = await idp.call('GET', '/Users?startIndex=1&count=100', undefined, {
      headers: { authorization: 'non-token' },
    })
    expect([wrong.statusCode, wrong.json().status]).toEqual([401, '401'])
    expect((await idp.get('/Groups?startIndex=1&count=100')).json()).toMatchObject({
      startIndex: 1,
      totalResults: 0,
      Resources: [],
    })
    // A custom app sends back the whole user that it read.
    const whole = await idp.put(`/Users/${made.json().id}`, {
      ...Object(made.json()),
      active: false,
    })
    expect(whole.json()).toMatchObject({ active: false, locale: 'en-US', displayName: 'R S' })
  })
})

// The cases of Microsoft's SCIM validator, rewritten.
describe('Microsoft Entra ID', () => {
  let id: string
  const found = async (filter: string) => (await idp.get(filtered(filter))).json()

  test('create with all attributes of its mapping, find in another case', async () => {
    const made = await idp.user('UserName123@acme.test', {
      active: true,
      displayName: 'lennay',
      schemas: [
        'urn:ietf:params:scim:schemas:core:2.0:User',
        'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
      ],
      externalId: '22fbc523-6032-4c5f-939d-5d4850cf3e52',
      name: { formatted: 'Adrienne McNally', familyName: 'McNally', givenName: 'Adrienne' },
      emails: [{ value: 'jane@acme.test', type: 'work', primary: true }],
      'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': {
        department: 'bob',
        manager: { value: 'm' },
      },
    })
    id = made.id
    for (const filter of [
      'userName eq "USERNAME123@acme.test"',
      'emails[type eq "work"].value eq "JANE@acme.test"',
      'externalId eq "22fbc523-6032-4c5f-939d-5d4850cf3e52"',
      'displayName eq "Lennay"',
    ])
      expect((await found(filter)).totalResults, filter).toBe(1)
    expect((await found('userName eq "0d1f-non-existing"')).totalResults).toBe(0)
  })

  test('change many attributes by one PATCH; disable; the disabled user is still found', async () => {
    const patched = await idp.patch(
      `/Users/${id}`,
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'updated@acme.test' },
      { op: 'Replace', path: 'name.familyName', value: 'updated' },
      { op: 'Add', path: 'addresses[type eq "work"].locality', value: 'Paris' },
      {
        op: 'Replace',
        path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department',
        value: 'new',
      },
    )
    expect(patched.json()).toMatchObject({
      emails: [{ value: 'updated@acme.test', type: 'work' }],
      name: { familyName: 'updated', givenName: 'Adrienne' },
      addresses: [{ type: 'work', locality: 'Paris' }],
    })
    const disabled = await idp.patch(`/Users/${id}`, {
      op: 'Replace',
      path: 'active',
      value: 'False',
    })
    expect([disabled.statusCode, disabled.json().active]).toEqual([200, false])
    expect((await idp.get(`/Users/${id}`)).json().active).toBe(false)
    expect((await found('userName eq "username123@acme.test"')).Resources).toMatchObject([
      { id, active: false },
    ])
    const renamed = await idp.patch(`/Users/${id}`, {
      op: 'replace',
      path: 'userName',
      value: 'renamed@acme.test',
    })
    expect(renamed.json().userName).toBe('renamed@acme.test')
    expect((await idp.patch(`/Users/${id}`)).statusCode).toBe(400)
  })

  test('groups: create, find without members, add, replace and remove members', async () => {
    const other = await idp.user('second@acme.test')
    const made = await idp.post('/Groups', {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
      externalId: '8aa1a0c0',
      displayName: 'Group1',
      members: [],
    })
    const group = made.json().id
    const listed = (
      await idp.get(
        `/Groups?excludedAttributes=members&filter=${encodeURIComponent('displayName eq "GROUP1"')}`,
      )
    ).json()
    expect(listed.Resources).toHaveLength(1)
    expect(listed.Resources[0]).not.toHaveProperty('members')
    const members = async (...operations: object[]) =>
      (await idp.patch(`/Groups/${group}`, ...operations))
        .json()
        .members.map(({ value }: { value: string }) => value)
    expect(
      await members({ op: 'Add', path: 'members', value: [{ $ref: null, value: id }] }),
    ).toEqual([id])
    expect(await members({ op: 'Replace', path: 'members', value: [{ value: other.id }] })).toEqual(
      [other.id],
    )
    expect(
      await members(
        { op: 'Add', path: 'members', value: [{ value: id }] },
        { op: 'Remove', path: 'members', value: [{ value: other.id }] },
      ),
    ).toEqual([id])
    expect(await members({ op: 'Remove', path: `members[value eq "${id}"]` })).toEqual([])
    expect((await idp.delete(`/Groups/${group}`)).statusCode).toBe(204)
  })
})
