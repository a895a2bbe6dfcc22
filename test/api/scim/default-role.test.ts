import { afterAll, beforeAll, expect, test } from 'vitest'
import { unwrap } from '../../../store/driver/tenant.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { createSamlOrganization, sessionOf } from '../../harness/saml-organization.ts'
import { approvedRun } from '../users/approve-as.ts'
import { scimClient } from './scim-client.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

/** A person who is a Deployer by `defaultRole` alone, and a group that is mapped to Viewer. */
async function start() {
  const saml = await createSamlOrganization(harness, { defaultRole: 'Deployer' })
  const { org, admin } = saml
  const idp = await scimClient(harness, org)
  const person = await org.user('Viewer')
  const { email } = person
  const attributes = { email: [email], groups: ['staff'] }
  expect(sessionOf(await saml.signIn({ nameId: email, attributes }))).toBeDefined()
  const { platform } = harness.deps.store
  const { publicId: id } = await platform('users').where({ id: person.id }).first('publicId')
  const map = async (groupName: string, role: string) =>
    admin.post('/api/org/group-mappings', { groupName, role })
  await map('readers', 'Viewer')
  const role = async () => idp.roleOf(id)
  expect(await role()).toBe('Deployer')
  return { org, admin, idp, person, id, map, role }
}

type World = Awaited<ReturnType<typeof start>>

const members = (op: string, value: string) => ({ op, path: 'members', value: [{ value }] })

/** How the person becomes a member; each returns the id of the group. */
const ways: Record<string, (world: World) => Promise<string>> = {
  async 'PATCH of members'({ idp, id }) {
    const { id: group } = await idp.group('readers')
    await idp.patch(`/Groups/${group}`, members('add', id))
    return group
  },
  'POST of a group': async ({ idp, id }) => (await idp.group('readers', [id])).id,
  async 'a name that is mapped'({ idp, id }) {
    const { id: group } = await idp.group('others', [id])
    await idp.patch(`/Groups/${group}`, { op: 'replace', path: 'displayName', value: 'readers' })
    return group
  },
}

test.each(Object.keys(ways))(
  'the role of a group takes the place of `defaultRole`, and gives it back: %s',
  async (how) => {
    const world = await start()
    const { org, admin, idp, person, id, role } = world
    const run = await approvedRun(harness.deps, org, person)
    const group = (await ways[how]?.(world)) ?? ''
    expect(await role()).toBe('Viewer')
    expect(await run.now()).toMatchObject({ phase: 'awaiting_approval', approved: false })
    const before = new Date()
    await idp.patch(`/Groups/${group}`, members('remove', id))
    expect(await role()).toBe('Deployer')
    const made = await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant)
        .db('person_makers')
        .where({ userId: person.id, madeBy: admin.id })
        .where('at', '>', before)
        .pluck('what'),
    )
    expect(made, 'by who configured the default role').toEqual(['promoted'])
    const entries = await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant)
        .db('audit_entries')
        .where({ event: 'scim.user_updated', targetId: String(person.id) })
        .orderBy('id')
        .select('detail'),
    )
    expect(entries.map(({ detail }) => detail.role)).toEqual([
      { from: 'Deployer', to: 'Viewer' },
      { from: 'Viewer', to: 'Deployer' },
    ])
  },
)

test('a role that the groups of the assertion grant stays beside that of SCIM', async () => {
  const { idp, id, map, role } = await start()
  await map('staff', 'Deployer')
  await idp.group('readers', [id])
  expect(await role()).toBe('Deployer')
})
