import { afterAll, beforeAll, expect, test } from 'vitest'
import { unwrap } from '../../../store/driver/tenant.ts'
import { hashPassword } from '../../../gateways/passwords/passwords.ts'
import { users } from '../../../store/users/users.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { createSamlOrganization } from '../../harness/saml-organization.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'
import { scimClient } from '../scim/scim-client.ts'

let harness: Harness
let passwordHash: string
beforeAll(async () => {
  harness = await createHarness({ mail: 'unsent' })
  passwordHash = await hashPassword(password)
})
afterAll(async () => harness.close())

const password = 'correct horse battery staple'

/** Invites a person and takes the link; says whether it still opens. */
async function linkOf(inviter: TestUser, org: TestOrganization) {
  const email = `of${inviter.id}@${org.slug}.example`
  const made = await inviter.post('/api/org/users', { email, name: 'Late', role: 'Viewer' })
  expect(made.statusCode, made.body).toBe(201)
  const url = `/api/org/users/${made.json().user.id}/invitation-link`
  const { invitationToken: token } = (await inviter.post(url)).json()
  return async () =>
    (
      await harness.app.inject({
        method: 'POST',
        url: '/api/auth/invitations/look',
        payload: { token },
        headers: { origin: harness.deps.config.baseUrl ?? '' },
      })
    ).statusCode
}

const publicIdOf = async (user: TestUser) =>
  (await harness.deps.store.platform('users').where({ id: user.id }).first('publicId')).publicId

const roleOf = async (user: TestUser) => (await user.get('/api/auth/me')).json().user.role

/** Two inviters who are Org Admins by a group alone, and what takes the role of the first. */
async function invitersOf(org: TestOrganization) {
  const owner = await org.user('Owner')
  const [inviter, other] = [await org.user('Viewer'), await org.user('Viewer')]
  const idp = await scimClient(harness, org)
  const mapped = await owner.post('/api/org/group-mappings', {
    groupName: 'admins',
    role: 'Org Admin',
  })
  const mapping = `/api/org/group-mappings/${mapped.json().groupMapping.id}`
  await owner.post('/api/org/group-mappings', { groupName: 'others', role: 'Org Admin' })
  const [one, two] = [await publicIdOf(inviter), await publicIdOf(other)]
  const { id: group } = await idp.group('admins', [one])
  await idp.group('others', [two])
  expect([await roleOf(inviter), await roleOf(other)]).toEqual(['Org Admin', 'Org Admin'])
  return { owner, inviter, other, idp, group, mapping, one }
}

type World = Awaited<ReturnType<typeof invitersOf>>

const demotions: Record<string, (world: World) => Promise<{ statusCode: number }>> = {
  'leaves the group': async ({ idp, group, one }) =>
    idp.patch(`/Groups/${group}`, { op: 'remove', path: 'members', value: [{ value: one }] }),
  'is no longer in its members': async ({ idp, group }) =>
    idp.put(`/Groups/${group}`, { displayName: 'admins', members: [] }),
  'was in a group that is renamed': async ({ idp, group }) =>
    idp.patch(`/Groups/${group}`, { op: 'replace', path: 'displayName', value: 'nothing' }),
  'was in a group that is deleted': async ({ idp, group }) => idp.delete(`/Groups/${group}`),
  'was in a group whose mapping is lowered': async ({ owner }) =>
    owner.post('/api/org/group-mappings', { groupName: 'admins', role: 'Deployer' }),
  'was in a group whose mapping is removed': async ({ owner, mapping }) => owner.delete(mapping),
}

test.each(Object.keys(demotions))(
  'an inviter who %s has no open link; others keep theirs',
  async (how) => {
    const org = await harness.organization()
    const world = await invitersOf(org)
    const link = await linkOf(world.inviter, org)
    const kept = await linkOf(world.other, org)
    expect([await link(), await kept()]).toEqual([200, 200])
    expect((await demotions[how]?.(world))?.statusCode).toBeLessThan(300)
    expect(await roleOf(world.inviter)).not.toBe('Org Admin')
    expect([await link(), await kept()]).toEqual([400, 200])
  },
)

test('an inviter whom an assertion gives a lower role has no open link', async () => {
  const saml = await createSamlOrganization(harness)
  await saml.admin.post('/api/org/group-mappings', { groupName: 'admins', role: 'Org Admin' })
  const inviter = await saml.org.user('Viewer')
  const signIn = async (groups: string[]) =>
    saml.signIn({ nameId: inviter.email, attributes: { email: inviter.email, groups } })
  await signIn(['admins'])
  const link = await linkOf(inviter, saml.org)
  await signIn(['admins', 'others'])
  expect([await roleOf(inviter), await link()]).toEqual(['Org Admin', 200])
  await signIn(['others'])
  expect([await roleOf(inviter), await link()]).toEqual(['Viewer', 400])
})

test.each(['leaves the group', 'is deactivated'])(
  'an inviter who %s has no open link to a person whom they changed later',
  async (how) => {
    const org = await harness.organization()
    const world = await invitersOf(org)
    const link = await linkOf(world.inviter, org)
    // A SCIM token of the inviter changes the user name of whom they invited.
    const { platform } = harness.deps.store
    await platform('tokens').where({ organizationId: org.id, kind: 'scim' }).update({
      userId: world.inviter.id,
    })
    const email = `of${world.inviter.id}@${org.slug}.example`
    const { id, publicId } = await platform('users').where({ email }).first('id', 'publicId')
    const renamed = { op: 'replace', path: 'userName', value: `late-${org.slug}` }
    expect((await world.idp.patch(`/Users/${publicId}`, renamed)).statusCode).toBe(200)
    const makings = platform('person_makers').where({ userId: id, madeBy: world.inviter.id })
    expect([await makings.select('what'), await link()]).toEqual([[{ what: 'readdressed' }], 200])

    const answer =
      how === 'is deactivated'
        ? await world.owner.patch(`/api/org/users/${world.inviter.id}`, { active: false })
        : await demotions[how]?.(world)
    expect(answer?.statusCode).toBeLessThan(300)
    expect(await link()).toBe(400)
  },
)

test('a change of a group that leaves the inviter’s role keeps the link', async () => {
  const org = await harness.organization()
  const world = await invitersOf(org)
  const link = await linkOf(world.inviter, org)
  await world.owner.patch(`/api/org/users/${world.inviter.id}`, { role: 'Org Admin' })
  await demotions['leaves the group']?.(world)
  expect([await roleOf(world.inviter), await link()]).toEqual(['Org Admin', 200])
})

test('a mailed link outlives the demotion of the inviter: they never saw it', async () => {
  const org = await harness.organization()
  const world = await invitersOf(org)
  const link = await linkOf(world.inviter, org)
  await harness.deps.store.tenant(org.id, async (tenant) =>
    unwrap(tenant).db('user_tokens').update({ shown: false }),
  )
  await demotions['leaves the group']?.(world)
  expect(await link()).toBe(200)
})

test('an Owner who gives the organization away has no open link; the new one keeps theirs', async () => {
  const org = await harness.organization()
  const [owner, heir] = [await org.user('Owner'), await org.user('Org Admin')]
  await harness.deps.store.tenant(org.id, async (tenant) =>
    users(tenant).setPassword(owner.id, passwordHash),
  )
  const [link, kept] = [await linkOf(owner, org), await linkOf(heir, org)]
  const body = { userId: heir.id, password }
  expect((await owner.post('/api/org/transfer-ownership', body)).statusCode).toBe(200)
  expect([await link(), await kept()]).toEqual([400, 200])
})
