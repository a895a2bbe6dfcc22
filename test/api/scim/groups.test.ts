import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import { approvedRun } from '../users/approve-as.ts'
import { groupUrn, scimClient } from './scim-client.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

const start = async () => {
  const org = await harness.organization()
  return { org, idp: await scimClient(harness, org) }
}
const filtered = (filter: string) => `/Groups?filter=${encodeURIComponent(filter)}`
const map = async (org: TestOrganization, groupName: string, role: string) => {
  const admin = await org.user('Org Admin')
  const made = await admin.post('/api/org/group-mappings', { groupName, role })
  expect(made.statusCode).toBeLessThan(300)
}
const add = (...ids: string[]) => ({
  op: 'Add',
  path: 'members',
  value: ids.map((value) => ({ $ref: null, value })),
})
const remove = (...ids: string[]) => ({
  op: 'Remove',
  path: 'members',
  value: ids.map((value) => ({ value })),
})

describe('/Groups', () => {
  test('201, 200, 204: a group with members is found by name, id, external id and member', async () => {
    const { idp } = await start()
    const { id: ada } = await idp.user('ada@acme.test', { displayName: 'Ada' })
    const made = await idp.post('/Groups', {
      schemas: [groupUrn],
      displayName: 'Engineers',
      externalId: 'g-1',
      members: [{ value: ada }],
    })
    expect(made.statusCode).toBe(201)
    const group = made.json()
    const base = `${harness.config.baseUrl}/api/scim/v2`
    expect(group).toEqual({
      schemas: [groupUrn],
      id: group.id,
      displayName: 'Engineers',
      externalId: 'g-1',
      members: [{ value: ada, $ref: `${base}/Users/${ada}`, display: 'Ada' }],
      meta: {
        resourceType: 'Group',
        created: expect.any(String),
        lastModified: expect.any(String),
        location: `${base}/Groups/${group.id}`,
        version: 'W/"1"',
      },
    })
    expect((await idp.get(`/Users/${ada}`)).json().groups).toEqual([
      { value: group.id, $ref: `${base}/Groups/${group.id}`, display: 'Engineers' },
    ])
    for (const filter of [
      'displayName eq "ENGINEERS"',
      'externalId eq "g-1"',
      `id eq "${group.id}"`,
      `members eq "${ada}"`,
      `members[value eq "${ada}"]`,
      `id eq "${group.id}" and members[value eq "${ada}"]`,
      'members.display sw "ad"',
    ])
      expect((await idp.get(filtered(filter))).json(), filter).toMatchObject({
        totalResults: 1,
        Resources: [{ id: group.id }],
      })
    expect((await idp.get(filtered('members eq "nobody"'))).json().totalResults).toBe(0)
    const bare = (await idp.get(`/Groups/${group.id}?excludedAttributes=members`)).json()
    expect(bare).not.toHaveProperty('members')
    expect((await idp.delete(`/Groups/${group.id}`)).statusCode).toBe(204)
    expect((await idp.get(`/Groups/${group.id}`)).statusCode).toBe(404)
  })

  test('409: an existing name in any case, at creation and at a rename', async () => {
    const { idp } = await start()
    await idp.group('One')
    const { id } = await idp.group('Two')
    for (const refused of [
      await idp.post('/Groups', { displayName: 'ONE' }),
      await idp.patch(`/Groups/${id}`, { op: 'replace', path: 'displayName', value: 'one' }),
    ])
      expect([refused.statusCode, refused.json().scimType]).toEqual([409, 'uniqueness'])
  })

  test('400: one unknown member refuses the whole request', async () => {
    const { idp } = await start()
    const { id: ada } = await idp.user('ada@acme.test')
    const { id } = await idp.group('g')
    for (const bad of ['00000000-0000-4000-8000-000000000000', 'nobody', `' or true --`]) {
      const refused = await idp.patch(
        `/Groups/${id}`,
        { op: 'add', path: 'displayName', value: 'renamed' },
        add(ada, bad),
      )
      expect([refused.statusCode, refused.json().scimType]).toEqual([400, 'invalidValue'])
      expect(refused.json().detail).toContain(bad)
    }
    expect((await idp.get(`/Groups/${id}`)).json()).toMatchObject({ displayName: 'g', members: [] })
  })

  test('200 PUT: the members are exactly those of the body, also if it has none', async () => {
    const { idp } = await start()
    const [a, b, c] = [
      await idp.user('a@x.test'),
      await idp.user('b@x.test'),
      await idp.user('c@x.test'),
    ]
    const { id } = await idp.group('g', [a.id, b.id])
    const put = async (members?: string[]) => {
      const body = {
        displayName: 'g',
        ...(members && { members: members.map((value) => ({ value })) }),
      }
      return (await idp.put(`/Groups/${id}`, body))
        .json()
        .members.map(({ value }: { value: string }) => value)
    }
    expect(await put([b.id, c.id])).toEqual([b.id, c.id])
    expect(await put()).toEqual([])
  })
})

describe('group to role', () => {
  test('a role follows members, name, PUT, deletion and deprovisioning at once; the highest counts', async () => {
    const { org, idp } = await start()
    await map(org, 'Deployers', 'Deployer')
    await map(org, 'admins', 'Org Admin')
    const { id: ada } = await idp.user('ada@acme.test')
    const { id: bob } = await idp.user('bob@acme.test')
    const { id: deployers } = await idp.group('deployers', [ada])
    const { id: admins } = await idp.group('ADMINS')
    const rolesNow = async () => [await idp.roleOf(ada), await idp.roleOf(bob)]
    expect(await rolesNow()).toEqual(['Deployer', 'Viewer'])
    await idp.patch(`/Groups/${admins}`, add(ada, bob))
    expect(await rolesNow()).toEqual(['Org Admin', 'Org Admin'])
    await idp.patch(`/Groups/${admins}`, remove(ada))
    expect(await rolesNow()).toEqual(['Deployer', 'Org Admin'])
    await idp.patch(`/Groups/${admins}`, {
      op: 'replace',
      value: { id: admins, displayName: 'others' },
    })
    expect(await rolesNow()).toEqual(['Deployer', 'Viewer'])
    await idp.patch(`/Groups/${admins}`, { op: 'replace', path: 'displayName', value: 'Admins' })
    expect(await rolesNow()).toEqual(['Deployer', 'Org Admin'])
    await idp.put(`/Groups/${admins}`, { displayName: 'admins', members: [{ value: ada }] })
    expect(await rolesNow()).toEqual(['Org Admin', 'Viewer'])
    await idp.delete(`/Groups/${admins}`)
    expect(await rolesNow()).toEqual(['Deployer', 'Viewer'])
    await idp.patch(`/Groups/${deployers}`, { op: 'remove', path: 'members' })
    expect(await rolesNow()).toEqual(['Viewer', 'Viewer'])
  })

  test('a role given by an administrator stays; no group can give Owner', async () => {
    const { org, idp } = await start()
    const owner = await org.user('Owner')
    const admin = await org.user('Org Admin')
    const above = await admin.post('/api/org/group-mappings', { groupName: 'o', role: 'Owner' })
    expect(above.statusCode).toBe(400)
    await map(org, 'low', 'Viewer')
    const find = async (email: string) =>
      (await idp.get(`/Users?filter=${encodeURIComponent(`userName eq "${email}"`)}`)).json()
        .Resources[0].id
    const [ownerId, adminId] = [await find(owner.email), await find(admin.email)]
    const { id } = await idp.group('low', [ownerId, adminId])
    await idp.patch(`/Groups/${id}`, { op: 'remove', path: 'members' })
    expect([await idp.roleOf(ownerId), await idp.roleOf(adminId)]).toEqual(['Owner', 'Org Admin'])
  })

  test('an approval is void once the member could no longer give it', async () => {
    const { org, idp } = await start()
    await map(org, 'ops', 'Deployer')
    const approver = await org.user('Viewer')
    const filter = encodeURIComponent(`userName eq "${approver.email}"`)
    const [{ id }] = (await idp.get(`/Users?filter=${filter}`)).json().Resources
    const { id: ops } = await idp.group('ops', [id])
    const run = await approvedRun(harness.deps, org, approver)
    await idp.patch(`/Groups/${ops}`, remove(id))
    expect(await run.now()).toMatchObject({ phase: 'awaiting_approval', approved: false })
  })

  test('concurrent changes of many groups: each member’s role counts all of them', async () => {
    const { org, idp } = await start()
    const { id: ada } = await idp.user('ada@acme.test')
    const roles = ['Viewer', 'Deployer', 'SRE · Cloud Admin', 'Org Admin']
    const groups: string[] = []
    for (const [at, role] of roles.entries()) {
      await map(org, `race${at}`, role)
      groups.push((await idp.group(`race${at}`)).id)
    }
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(groups.map(async (id) => idp.patch(`/Groups/${id}`, add(ada))))
      expect(await idp.roleOf(ada)).toBe('Org Admin')
      await Promise.all(groups.map(async (id) => idp.patch(`/Groups/${id}`, remove(ada))))
      expect(await idp.roleOf(ada)).toBe('Viewer')
    }
  })

  test('200: groups that swap members at once do not deadlock', async () => {
    const { org, idp } = await start()
    const ids = (await Promise.all(['a', 'b'].map(async (one) => idp.user(`${one}@x.test`)))).map(
      ({ id }) => id,
    )
    const [ada = '', bob = ''] = ids
    await map(org, 'red', 'Deployer')
    await map(org, 'blue', 'Org Admin')
    const { id: red } = await idp.group('red', [ada])
    const { id: blue } = await idp.group('blue', [bob])
    for (let round = 0; round < 15; round += 1) {
      const [out, other] = round % 2 === 0 ? [ada, bob] : [bob, ada]
      const answers = await Promise.all([
        idp.patch(`/Groups/${red}`, remove(out), add(other)),
        idp.patch(`/Groups/${blue}`, remove(other), add(out)),
        idp.put(`/Groups/${red}`, { displayName: 'red', members: [{ value: other }] }),
        idp.put(`/Groups/${blue}`, { displayName: 'blue', members: [{ value: out }] }),
      ])
      expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200])
      expect([await idp.roleOf(out), await idp.roleOf(other)]).toEqual(['Org Admin', 'Deployer'])
    }
  })

  test('200: removing a member with a malformed id from a mapped group changes nothing', async () => {
    const { org, idp } = await start()
    await map(org, 'mapped', 'Deployer')
    const { id: ada } = await idp.user('ada@acme.test')
    const { id } = await idp.group('mapped', [ada])
    const answer = await idp.patch(`/Groups/${id}`, remove(ada, 'nobody', `' or true --`))
    expect([answer.statusCode, answer.json().members]).toEqual([200, []])
    expect(await idp.roleOf(ada)).toBe('Viewer')
  })

  test('lost updates: members added by concurrent requests are all there', async () => {
    const { idp } = await start()
    const people = await Promise.all(
      Array.from({ length: 20 }, async (_, at) => idp.user(`m${at}@x.test`)),
    )
    const { id } = await idp.group('many')
    const answers = await Promise.all(
      people.map(async (one) => idp.patch(`/Groups/${id}`, add(one.id))),
    )
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
    const { members, meta } = (await idp.get(`/Groups/${id}`)).json()
    expect(members).toHaveLength(20)
    expect(meta.version).toBe('W/"21"')
  })
})
