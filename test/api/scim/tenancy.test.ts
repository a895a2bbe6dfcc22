import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFirstWallApp } from '../../harness/first-wall.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import { enterpriseUrn, scimClient, type ScimClient } from './scim-client.ts'

const notFound = {
  schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
  status: '404',
  detail: 'Not found',
}
const never = '00000000-0000-4000-8000-000000000000'
const encoded = encodeURIComponent

let harness: Harness
let firstWall: Awaited<ReturnType<typeof createFirstWallApp>>
beforeAll(async () => {
  harness = await createHarness()
  firstWall = await createFirstWallApp(harness)
})
afterAll(async () => {
  await firstWall.close()
  await harness.close()
})

// Row-level security would hide a missing condition in a statement, so each case also runs without
// it.
describe.each<[string, () => FastifyInstance]>([
  ['both walls', () => harness.app],
  ['the statements’ own conditions alone', () => firstWall.app],
])('other organizations: %s', (_, app) => {
  let idp: ScimClient
  let other: TestOrganization
  let stranger: ScimClient
  let user: string
  let group: string
  beforeAll(async () => {
    idp = await scimClient(harness, await harness.organization())
    other = await harness.organization()
    stranger = await scimClient({ ...harness, app: app() }, other)
    user = (await idp.user('victim@acme.test', { externalId: 'v' })).id
    group = (await idp.group('Secret', [user])).id
  })

  test('404: another organization’s ids and unknown ids get the same body', async () => {
    const malformed = [
      never,
      'x',
      '1',
      `${user}'--`,
      encoded(`${user}' or '1'='1`),
      '%00',
      '..%2f..',
      'x'.repeat(300),
    ]
    for (const [name, theirs] of [
      ['Users', user],
      ['Groups', group],
    ] as const)
      for (const id of [theirs, ...malformed])
        for (const answer of [
          await stranger.get(`/${name}/${id}`),
          await stranger.put(`/${name}/${id}`, { userName: 'x', displayName: 'x' }),
          await stranger.patch(`/${name}/${id}`, {
            op: 'replace',
            path: 'displayName',
            value: 'mine',
          }),
          await stranger.call('PATCH', `/${name}/${id}`, '{"broken'),
          await stranger.delete(`/${name}/${id}`),
        ])
          expect([answer.statusCode, answer.json()], `${name} ${id}`).toEqual([404, notFound])
    expect((await idp.get(`/Groups/${group}`)).json().members).toHaveLength(1)
  })

  test('another organization’s users are in no list and match no filter', async () => {
    for (const filter of [
      'userName eq "victim@acme.test"',
      'externalId eq "v"',
      `id eq "${user}"`,
      `groups.value eq "${group}"`,
      'emails.value eq "victim@acme.test"',
      'emails.value co "victim"',
      'groups.display eq "Secret"',
    ])
      expect(
        (await stranger.get(`/Users?filter=${encoded(filter)}`)).json().totalResults,
        filter,
      ).toBe(0)
    for (const filter of [
      'displayName eq "Secret"',
      'displayName co "ecre"',
      `id eq "${group}"`,
      `members eq "${user}"`,
      'members.display pr',
    ])
      expect(
        (await stranger.get(`/Groups?filter=${encoded(filter)}`)).json().totalResults,
        filter,
      ).toBe(0)
    const listed = (await stranger.get('/Users')).json().Resources
    expect(listed.map(({ id }: { id: string }) => id)).not.toContain(user)
    expect((await stranger.get('/Groups')).json().totalResults).toBe(0)
  })

  test('400: another organization’s users cannot become members by POST, PUT or PATCH', async () => {
    const { id: own } = await stranger.user('own@other.test')
    const { id: mine } = await stranger.group('mine', [own])
    const members = [{ value: own }, { value: user }]
    const attacks = {
      POST: await stranger.post('/Groups', { displayName: 'trap', members }),
      PUT: await stranger.put(`/Groups/${mine}`, { displayName: 'mine', members }),
      add: await stranger.patch(`/Groups/${mine}`, { op: 'add', path: 'members', value: members }),
      replace: await stranger.patch(`/Groups/${mine}`, {
        op: 'replace',
        path: 'members',
        value: [{ value: user }],
      }),
      chosen: await stranger.patch(`/Groups/${mine}`, {
        op: 'add',
        path: `members[value eq "${user}"]`,
        value: [{ value: user }],
      }),
    }
    for (const [name, { statusCode, body }] of Object.entries(attacks)) {
      expect([name, statusCode, JSON.parse(body).scimType]).toEqual([name, 400, 'invalidValue'])
      expect(JSON.parse(body).detail).toContain(user)
    }
    expect((await stranger.get('/Groups')).json().totalResults).toBe(1)
    const { members: left } = (await stranger.get(`/Groups/${mine}`)).json()
    expect(left.map(({ value }: { value: string }) => value)).toEqual([own])
  })

  test('200: removing another organization’s member by id does not change them or their role', async () => {
    const org = await harness.organization()
    const client = await scimClient(harness, org)
    for (const one of [org, other])
      await (
        await one.user('Org Admin')
      ).post('/api/org/group-mappings', { groupName: 'ops', role: 'Deployer' })
    const { id: member } = await client.user('member@acme.test')
    const { id: ops } = await client.group('ops', [member])
    const { id: mine } = await stranger.group('ops')
    for (const operation of [
      { op: 'remove', path: 'members', value: [{ value: member }] },
      { op: 'remove', path: `members[value eq "${member}"]` },
    ])
      expect((await stranger.patch(`/Groups/${mine}`, operation)).statusCode).toBe(200)
    expect(await client.roleOf(member)).toBe('Deployer')
    expect((await client.get(`/Groups/${ops}`)).json().members).toHaveLength(1)
  })

  test('a manager reference to another organization’s user is stored as text and not resolved', async () => {
    const { id } = await stranger.user('report@other.test', {
      [enterpriseUrn]: { manager: { value: user, displayName: 'x' } },
    })
    const shown = (await stranger.get(`/Users/${id}`)).json()[enterpriseUrn]
    expect(shown).toEqual({ manager: { value: user } })
    await stranger.patch(`/Users/${id}`, {
      op: 'replace',
      path: `${enterpriseUrn}:manager`,
      value: user,
    })
    expect((await stranger.get(`/Users/${id}`)).body).not.toContain('victim')
  })

  test('201: another organization’s user names can be used', async () => {
    expect((await stranger.user('victim@acme.test', { externalId: 'v' })).id).not.toBe(user)
    expect((await stranger.group('Secret')).id).not.toBe(group)
  })
})
