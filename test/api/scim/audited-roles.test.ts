import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { unwrap } from '../../../store/driver/tenant.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import { scimClient } from './scim-client.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

/** The entries about roles since the last call: their events, who did it, about whom, and what they say. */
function entriesOf(org: TestOrganization) {
  let last = 0
  return async (events: readonly string[]) => {
    const found = await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant)
        .db('audit_entries')
        .where('id', '>', last)
        .whereIn('event', [...events])
        .whereRaw(String.raw`(detail \? 'role' or detail \? 'rolesChanged')`)
        .orderBy('targetLabel')
        .select('id', 'event', 'actorKind', 'actorLabel', 'targetKind', 'targetLabel', 'detail'),
    )
    last = Math.max(last, ...found.map(({ id }) => Number(id)))
    return found
  }
}

async function start() {
  const org = await harness.organization()
  const [idp, admin] = [await scimClient(harness, org), await org.user('Org Admin')]
  const map = async (groupName: string, role: string) =>
    (await admin.post('/api/org/group-mappings', { groupName, role })).json().groupMapping.id
  const entries = entriesOf(org)
  /** About single people, by SCIM, as `who from > to`. */
  const bySCIM = async () =>
    (await entries(['scim.user_updated', 'scim.group_updated'])).map((entry) => {
      expect(entry).toMatchObject({ event: 'scim.user_updated', targetKind: 'user' })
      expect(entry).toMatchObject({ actorKind: 'scim', actorLabel: 'idp' })
      const { from, to } = entry.detail.role
      return `${entry.targetLabel.replace(/@.*/, '')} ${from} > ${to}`
    })
  const people = async (...names: string[]) =>
    Promise.all(names.map(async (name) => (await idp.user(`${name}@${org.slug}.example`)).id))
  return { org, idp, admin, map, entries, bySCIM, people }
}

const members = (op: string, ...ids: string[]) => ({
  op,
  path: 'members',
  value: ids.map((value) => ({ value })),
})
const rename = (value: string) => ({ op: 'replace', path: 'displayName', value })

describe('the audit log says whose role a group changes', () => {
  test('by members, PUT, name and deletion; nobody whose role stays is named', async () => {
    const { idp, map, bySCIM, people } = await start()
    const [ada = '', bob = ''] = await people('ada', 'bob')
    await map('admins', 'Org Admin')
    await map('deployers', 'Deployer')
    await idp.group('deployers', [ada])
    expect(await bySCIM()).toEqual(['ada Viewer > Deployer'])
    const { id } = await idp.group('admins')
    expect(await bySCIM()).toEqual([])
    await idp.patch(`/Groups/${id}`, members('add', ada, bob))
    expect(await bySCIM()).toEqual(['ada Deployer > Org Admin', 'bob Viewer > Org Admin'])
    await idp.patch(`/Groups/${id}`, members('add', ada, bob))
    expect(await bySCIM()).toEqual([])
    await idp.patch(`/Groups/${id}`, members('remove', ada))
    expect(await bySCIM()).toEqual(['ada Org Admin > Deployer'])
    await idp.put(`/Groups/${id}`, { displayName: 'admins', members: [{ value: ada }] })
    expect(await bySCIM()).toEqual(['ada Deployer > Org Admin', 'bob Org Admin > Viewer'])
    await idp.patch(`/Groups/${id}`, rename('others'))
    expect(await bySCIM()).toEqual(['ada Org Admin > Deployer'])
    await idp.patch(`/Groups/${id}`, rename('admins'))
    expect(await bySCIM()).toEqual(['ada Deployer > Org Admin'])
    expect((await idp.delete(`/Groups/${id}`)).statusCode).toBe(204)
    expect(await bySCIM()).toEqual(['ada Org Admin > Deployer'])
  })

  test('a role by hand that stays the highest is no change', async () => {
    const { org, idp, map, bySCIM } = await start()
    const owner = await org.user('Owner')
    const { publicId } = await harness.deps.store
      .platform('users')
      .where({ id: owner.id })
      .first('publicId')
    await map('admins', 'Org Admin')
    const { id } = await idp.group('admins', [publicId])
    await idp.delete(`/Groups/${id}`)
    expect(await bySCIM()).toEqual([])
  })

  test('by a mapping, made, changed and removed', async () => {
    const { org, idp, admin, map, entries, people } = await start()
    const [ada = '', bob = ''] = await people('ada', 'bob')
    await idp.group('ops', [ada, bob])
    const events = ['org.user_updated', 'org.group_mapped', 'org.group_unmapped']
    const said = async () =>
      (await entries(events)).map(({ event, actorLabel, targetLabel, detail }) => {
        expect(actorLabel).toBe(admin.email)
        const { from, to } = detail.role
        const of = String(targetLabel).replace(`@${org.slug}.example`, '')
        return `${event} ${of} ${from} > ${to} ${detail.rolesChanged ?? ''}`.trim()
      })
    const id = await map('ops', 'Deployer')
    expect(await said()).toEqual([
      'org.user_updated ada Viewer > Deployer',
      'org.user_updated bob Viewer > Deployer',
      'org.group_mapped ops null > Deployer 2',
    ])
    await map('ops', 'Deployer')
    expect(await said()).toEqual(['org.group_mapped ops Deployer > Deployer'])
    await admin.delete(`/api/org/group-mappings/${id}`)
    expect(await said()).toEqual([
      'org.user_updated ada Deployer > Viewer',
      'org.user_updated bob Deployer > Viewer',
      'org.group_unmapped ops Deployer > null 2',
    ])
  })

  test('of more than a hundred people one entry has the number, and a hundred ids', async () => {
    const { org, idp, map, entries } = await start()
    const { rows } = await harness.deps.store.platform.raw(
      `insert into users (organization_id, user_name, email, name)
       select ?, 'p' || n || '@many.test', 'p' || n || '@many.test', 'P' from generate_series(1, 101) as n
       returning id, public_id as "publicId"`,
      [org.id],
    )
    const ids = rows.map(({ id }: { id: number }) => id).toSorted((a: number, b: number) => a - b)
    const all = { rolesChanged: 101, userIds: ids.slice(0, 100) }
    const mapping = ['org.user_updated', 'org.group_mapped']
    const scim = ['scim.user_updated', 'scim.group_updated']
    const { id } = await idp.group(
      'many',
      rows.map(({ publicId }: { publicId: string }) => publicId),
    )
    await map('many', 'Deployer')
    expect(await entries(mapping)).toMatchObject([{ event: 'org.group_mapped', detail: all }])
    await idp.patch(`/Groups/${id}`, rename('nothing'))
    expect(await entries(scim)).toMatchObject([
      { event: 'scim.group_updated', targetKind: 'group', targetLabel: 'nothing', detail: all },
    ])
    await idp.patch(`/Groups/${id}`, rename('many'))
    await entries(scim)
    await idp.delete(`/Groups/${id}`)
    expect(await entries(scim)).toMatchObject([{ targetLabel: 'many', detail: all }])
  })
})
