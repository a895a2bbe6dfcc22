import { afterAll, beforeAll, expect, test } from 'vitest'
import { unwrap } from '../../../store/driver/tenant.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import { scimClient } from '../scim/scim-client.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

/** Bob is an Org Admin through a group of the identity provider alone. */
async function bobOfAdmins() {
  const org = await harness.organization()
  const [owner, admin] = [await org.user('Owner'), await org.user('Org Admin')]
  const scim = await scimClient(harness, org)
  await owner.post('/api/org/group-mappings', { groupName: 'admins', role: 'Org Admin' })
  const { id: publicId } = await scim.user(`bob@${org.slug}.example`)
  await scim.group('admins', [publicId])
  const { id } = await harness.deps.store.platform('users').where({ publicId }).first('id')
  await harness.deps.store.platform('person_makers').where({ userId: id }).delete()
  const url = `/api/org/users/${id}`
  const role = async () => (await owner.get(url)).json().user.role
  expect(await role()).toBe('Org Admin')
  return { org, owner, admin, id, url, role }
}

const written = async (org: TestOrganization, id: number) =>
  harness.deps.store.tenant(org.id, async (tenant) => {
    const { db } = unwrap(tenant)
    const entries = db('audit_entries').where({ event: 'org.user_updated', targetId: String(id) })
    return {
      details: await entries.orderBy('id').pluck('detail'),
      makers: await db('person_makers').where({ userId: id }).select('madeBy', 'what'),
    }
  })

test('a grant by hand below the role of a group is audited, and who granted it made the person', async () => {
  const { org, owner, id, url, role } = await bobOfAdmins()
  expect((await owner.patch(url, { role: 'Org Admin' })).statusCode).toBe(200)
  expect(await role()).toBe('Org Admin')
  expect(await written(org, id)).toEqual({
    details: [{ manualRole: { from: null, to: 'Org Admin' } }],
    makers: [{ madeBy: owner.id, what: 'promoted' }],
  })
})

test('taking it back is audited too, and makes nobody; the same grant again is no change', async () => {
  const { org, owner, admin, id, url, role } = await bobOfAdmins()
  await owner.patch(url, { role: 'Org Admin' })
  expect((await admin.patch(url, { role: 'Viewer' })).statusCode).toBe(200)
  expect((await admin.patch(url, { role: 'Viewer' })).statusCode).toBe(200)
  expect(await role()).toBe('Org Admin')
  expect(await written(org, id)).toEqual({
    details: [
      { manualRole: { from: null, to: 'Org Admin' } },
      { manualRole: { from: 'Org Admin', to: 'Viewer' } },
    ],
    makers: [{ madeBy: owner.id, what: 'promoted' }],
  })
})

test('a grant that changes the role says both: the role, and what was granted by hand', async () => {
  const { org, owner, id, url } = await bobOfAdmins()
  await owner.patch(url, { role: 'Owner' })
  expect((await written(org, id)).details).toEqual([
    { role: { from: 'Org Admin', to: 'Owner' }, manualRole: { from: null, to: 'Owner' } },
  ])
})
