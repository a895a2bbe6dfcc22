import { unwrap } from '../../../store/driver/tenant.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { createSecondApp, type SecondApp } from '../../harness/second-app.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'
import { approvedRun } from '../users/approve-as.ts'

let harness: Harness
let second: SecondApp
beforeAll(async () => {
  harness = await createHarness()
  second = await createSecondApp(harness)
})
afterAll(async () => {
  await second.close()
  await harness.close()
})

const url = '/api/org/group-mappings'
const roleOf = async (user: TestUser) =>
  (await second.call(user, 'GET', { url: '/api/auth/me' })).json().user.role

/** Creates a group as SCIM does. */
async function group(org: TestOrganization, displayName: string, members: readonly TestUser[]) {
  await harness.deps.store.tenant(org.id, async (tenant) => {
    const { db } = unwrap(tenant)

    const [{ id }] = await db('groups')
      .insert({ organizationId: org.id, displayName })
      .returning('id')
    await db('group_members').insert(
      members.map(({ id: userId }) => ({ organizationId: org.id, groupId: id, userId })),
    )
  })
}

/** Adds a group as a SAML assertion does. */
const assertGroup = async (org: TestOrganization, user: TestUser, name: string) =>
  harness.deps.store.tenant(org.id, async (tenant) =>
    unwrap(tenant).db('saml_group_names').insert({ organizationId: org.id, userId: user.id, name }),
  )

describe('/api/org/group-mappings', () => {
  test('201 then 200: a mapping is upserted by name in any case; its members get and lose the role', async () => {
    const org = await harness.organization()
    const admin = await org.user('Org Admin')
    const [one, two, three] = [
      await org.user('Viewer'),
      await org.user('Deployer'),
      await org.user('Viewer'),
    ]
    await group(org, 'Platform Team', [one, two])
    await assertGroup(org, three, 'PLATFORM team')

    const made = await admin.post(url, { groupName: ' platform team ', role: 'Org Admin' })
    expect(made.statusCode).toBe(201)
    const { groupMapping } = made.json()
    expect(groupMapping).toEqual({
      id: groupMapping.id,
      groupName: 'platform team',
      role: 'Org Admin',
      members: 3,
    })
    expect(await Promise.all([one, two, three].map(roleOf))).toEqual(Array(3).fill('Org Admin'))

    const lowered = await admin.post(url, { groupName: 'PLATFORM TEAM', role: 'Deployer' })
    expect(lowered.statusCode).toBe(200)
    expect(lowered.json().groupMapping).toMatchObject({ id: groupMapping.id, role: 'Deployer' })
    expect(await Promise.all([one, two, three].map(roleOf))).toEqual(Array(3).fill('Deployer'))

    expect((await admin.get(url)).json().groupMappings).toHaveLength(1)
    expect((await admin.delete(`${url}/${groupMapping.id}`)).json()).toEqual({ ok: true })
    expect(await Promise.all([one, two, three].map(roleOf))).toEqual([
      'Viewer',
      'Deployer',
      'Viewer',
    ])
    expect((await admin.delete(`${url}/${groupMapping.id}`)).statusCode).toBe(404)
  })

  test('a person gets the highest role of their groups; deleting one mapping keeps another’s role', async () => {
    const org = await harness.organization()
    const admin = await org.user('Org Admin')
    const user = await org.user('Viewer')
    await group(org, 'a', [user])
    await group(org, 'b', [user])
    await assertGroup(org, user, 'c')
    await admin.post(url, { groupName: 'b', role: 'Deployer' })
    await admin.post(url, { groupName: 'c', role: 'Deployer' })
    const { id } = (await admin.post(url, { groupName: 'a', role: 'SRE · Cloud Admin' })).json()
      .groupMapping
    expect(await roleOf(user)).toBe('SRE · Cloud Admin')
    await admin.delete(`${url}/${id}`)
    expect(await roleOf(user)).toBe('Deployer')
  })

  test('another organization’s group of the same name does not change', async () => {
    const [org, other] = [await harness.organization(), await harness.organization()]
    const [admin, stranger] = [await org.user('Org Admin'), await other.user('Viewer')]
    await group(other, 'same', [stranger])
    const { groupMapping } = (await admin.post(url, { groupName: 'same', role: 'Deployer' })).json()
    expect(groupMapping.members).toBe(0)
    expect(await roleOf(stranger)).toBe('Viewer')
    const owner = await other.user('Owner')
    expect((await owner.delete(`${url}/${groupMapping.id}`)).statusCode).toBe(404)
    expect((await owner.get(url)).json().groupMappings).toEqual([])
  })

  test('400: a group cannot give Owner; 403: a role above the caller’s own, a token, a lower role', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const above = await owner.post(url, { groupName: 'g', role: 'Owner' })
    expect([above.statusCode, above.json().code]).toEqual([400, 'role_not_mappable'])
    expect((await owner.post(url, { groupName: '  ', role: 'Viewer' })).statusCode).toBe(400)
    const cloudAdmin = await org.user('SRE · Cloud Admin')
    expect((await cloudAdmin.get(url)).statusCode).toBe(403)
    const headers = { authorization: `Bearer ${await owner.token()}` }
    const asToken = await harness.app.inject({ url, headers })
    expect(asToken.json().code).toBe('session_required')
  })

  test('an approval is void once the member could no longer give it', async () => {
    const org = await harness.organization()
    const admin = await org.user('Org Admin')
    const approver = await org.user('Viewer')
    await group(org, 'ops', [approver])
    await admin.post(url, { groupName: 'ops', role: 'Deployer' })
    const run = await approvedRun(harness.deps, org, approver)
    await admin.post(url, { groupName: 'ops', role: 'Viewer' })
    expect(await run.now()).toMatchObject({ phase: 'awaiting_approval', approved: false })
  })

  test('concurrent requests for one name in two processes create one mapping', async () => {
    const org = await harness.organization()
    const admin = await org.user('Org Admin')
    const user = await org.user('Viewer')
    await group(org, 'race', [user])
    const rolesTried = ['Viewer', 'Deployer', 'SRE · Cloud Admin', 'Org Admin']
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, at) => {
        const body = { groupName: at % 3 ? 'race' : 'RACE', role: rolesTried[at % 4] }
        return at % 2 ? admin.post(url, body) : second.call(admin, 'POST', { url, body })
      }),
    )
    expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(1)
    const { groupMappings } = (await admin.get(url)).json()
    expect(groupMappings).toHaveLength(1)
    expect(await roleOf(user)).toBe(groupMappings[0].role)
  })
})

describe('/api/org/sso', () => {
  test('200: shows the sign-in methods, and whether passwords are allowed', async () => {
    const org = await harness.organization()
    const admin = await org.user('Org Admin')
    await admin.post(url, { groupName: 'g', role: 'Deployer' })
    const expected = {
      saml: null,
      scim: { tokens: [] },
      groupMappings: [{ groupName: 'g', role: 'Deployer', members: 0 }],
      requireSso: false,
    }
    expect((await admin.get('/api/org/sso')).json()).toMatchObject(expected)
    const changed = await admin.patch('/api/org/sso', { requireSso: false })
    expect(changed.json()).toMatchObject({ ...expected, ok: true })
    expect((await admin.patch('/api/org/sso', {})).statusCode).toBe(400)
    const headers = { authorization: `Bearer ${await admin.token()}` }
    const asToken = await harness.app.inject({ url: '/api/org/sso', headers })
    expect(asToken.json().code).toBe('session_required')
  })
})
