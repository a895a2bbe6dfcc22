import { afterAll, beforeAll, expect, test } from 'vitest'
import { rank, roles, type Role } from '../../../domain/access/roles.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import {
  createSamlOrganization,
  meOf,
  sessionOf,
  type SamlOrganization,
} from '../../harness/saml-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'
import { scimClient } from '../scim/scim-client.ts'
import { expectRefused } from './expect-refused.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

const as = (email: string, groups?: string[]) => ({
  nameId: email,
  attributes: { email: [email], ...(groups && { groups }) },
})
const by = async (editor: 'Owner' | 'Org Admin', settings = {}) =>
  createSamlOrganization(harness, settings, { editor })
const save = async (saml: SamlOrganization, who: TestUser) =>
  expect((await who.post('/api/org/saml', { idpEntityId: saml.idp.entityId })).statusCode).toBe(200)
const newestTrace = async ({ admin }: SamlOrganization) =>
  (await admin.get('/api/org/saml/traces')).json().traces[0]

/** Signs in as this person and returns the role of the session, or `refused`. */
async function enter(saml: SamlOrganization, email: string): Promise<Role | 'refused'> {
  const answer = await saml.signIn(as(email))
  if (sessionOf(answer)) return (await meOf(harness, answer)).user.role
  expectRefused(answer)
  expect(await newestTrace(saml)).toMatchObject({ step: 'person', cause: 'person_above_editor' })
  return 'refused'
}

for (const editor of ['Org Admin', 'Owner'] as const)
  test(`400: a provider saved by an ${editor} cannot sign in a person above that role`, async () => {
    const saml = await by(editor)
    for (const role of roles) {
      const { email } = await saml.org.user(role)
      expect(await enter(saml, email)).toBe(rank(role) <= rank(editor) ? role : 'refused')
    }
    const platform = await saml.org.user('Viewer', { platformAdmin: true })
    expect(await enter(saml, platform.email)).toBe('refused')
  })

test('400: the trace names the remedy, and the answer gives no reason', async () => {
  const saml = await by('Org Admin')
  const owner = await saml.org.user('Owner')
  expect(await enter(saml, owner.email)).toBe('refused')
  const { detail } = await newestTrace(saml)
  expect(detail).toMatchObject({ personRole: 'Owner', editorRole: 'Org Admin' })
  expect(detail.whatToDo).toMatch(/^Somebody whose role is Owner must save/)
  const { entries } = (await saml.admin.get('/api/audit?event=saml.login_failed')).json()
  expect(entries[0].detail).toMatchObject({ reason: 'person_above_editor' })
  const { saml: shown } = (await saml.admin.get('/api/org/saml')).json()
  expect(shown.signsInUpTo).toBe('Org Admin')
})

test('after a save by an Owner, Owners may sign in; after a save or enable by an Org Admin, not', async () => {
  const saml = await by('Org Admin')
  const owner = await saml.org.user('Owner')
  await save(saml, owner)
  expect(await enter(saml, owner.email)).toBe('Owner')
  await save(saml, saml.admin)
  expect(await enter(saml, owner.email)).toBe('refused')

  await save(saml, owner)
  await owner.patch('/api/org/saml', { enabled: false })
  await saml.admin.patch('/api/org/saml', { enabled: true })
  expect(await enter(saml, owner.email)).toBe('refused')
  await owner.patch('/api/org/saml', { enabled: false })
  await owner.patch('/api/org/saml', { enabled: true })
  expect(await enter(saml, owner.email)).toBe('Owner')
})

test('400: the current role of a demoted, deactivated or deleted editor counts', async () => {
  const of = async (change: (owner: TestUser, editor: TestUser) => Promise<unknown>) => {
    const saml = await by('Owner')
    const owner = await saml.org.user('Owner')
    expect(await enter(saml, owner.email)).toBe('Owner')
    await change(owner, saml.admin)
    const seer = { ...saml, admin: owner }
    const admin = await saml.org.user('Org Admin')
    return [await enter(seer, owner.email), await enter(seer, admin.email)]
  }
  const url = (editor: TestUser) => `/api/org/users/${editor.id}`
  expect(await of(async (owner, editor) => owner.patch(url(editor), { role: 'Viewer' }))).toEqual([
    'refused',
    'refused',
  ])
  const left = ['refused', 'Org Admin']
  expect(await of(async (owner, editor) => owner.patch(url(editor), { active: false }))).toEqual(
    left,
  )
  expect(await of(async (owner, editor) => owner.delete(url(editor)))).toEqual(left)
})

test('400: an unknown editor counts as an Org Admin', async () => {
  const saml = await by('Owner')
  await harness.deps.store
    .platform('saml_configurations')
    .where({ organizationId: saml.org.id })
    .update({ editedBy: null })
  expect(await enter(saml, (await saml.org.user('Owner')).email)).toBe('refused')
  expect(await enter(saml, (await saml.org.user('Org Admin')).email)).toBe('Org Admin')
})

test('303: a platform administrator who saved it may sign in, without access to the platform', async () => {
  const saml = await by('Owner')
  const platform = await saml.org.user('Owner', { platformAdmin: true })
  await save(saml, platform)
  const me = await meOf(harness, await saml.signIn(as(platform.email)))
  expect(me.user).toMatchObject({ role: 'Owner', platformAdmin: false })
})

test('400: groups cannot give a role above the editor’s, at the first and at the second sign-in', async () => {
  const saml = await by('Org Admin', { emailDomains: [] })
  const owner = await saml.org.user('Owner')
  await owner.post('/api/org/group-mappings', { groupName: 'admins', role: 'Org Admin' })
  await owner.patch(`/api/org/users/${saml.admin.id}`, { role: 'Deployer' })
  const email = `new@${saml.domain}`
  for (let n = 0; n < 2; n += 1) expectRefused(await saml.signIn(as(email, ['admins'])))
  const { users } = (await owner.get(`/api/org/users?q=${email}`)).json()
  expect(users).toEqual([])
})

test('400: an Owner cannot be named by the user name that SCIM gave them either', async () => {
  const saml = await by('Org Admin')
  const scim = await scimClient(harness, saml.org)
  const owner = await saml.org.user('Owner')
  const { publicId } = await harness.deps.store
    .platform('users')
    .where({ id: owner.id })
    .first('publicId')
  const address = `mallory@${saml.domain}`
  const readdressed = await scim.patch(`/Users/${publicId}`, {
    op: 'replace',
    path: 'emails',
    value: [{ value: address, primary: true }],
  })
  expect([readdressed.statusCode, readdressed.json().scimType]).toEqual([400, 'mutability'])
  await scim.patch(`/Users/${publicId}`, { op: 'remove', path: 'emails' })
  await scim.patch(`/Users/${publicId}`, { op: 'replace', path: 'userName', value: address })
  const me = await meOf(harness, await saml.signIn(as(address)))
  expect(me.user?.id).not.toBe(owner.id)
  expect((await owner.get('/api/auth/me')).json().user.email).toBe(owner.email)
  expect(await enter(saml, owner.email)).toBe('refused')
})

test('400: repeated attempts open no session', async () => {
  const saml = await by('Org Admin')
  const owner = await saml.org.user('Owner')
  const before = await harness.deps.store
    .platform('sessions')
    .where({ userId: owner.id })
    .count('id as n')
  for (let n = 0; n < 3; n += 1) expect(await enter(saml, owner.email)).toBe('refused')
  const after = await harness.deps.store
    .platform('sessions')
    .where({ userId: owner.id })
    .count('id as n')
  expect(after).toEqual(before)
})
