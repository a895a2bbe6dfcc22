import { unwrap } from '../../../store/driver/tenant.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { approvals } from '../../../store/runs/approvals.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { createSamlOrganization } from '../../harness/saml-organization.ts'
import { approvalWorld, refused, type ApprovalWorld } from './approval-world.ts'

let harness: Harness
let world: ApprovalWorld
beforeAll(async () => {
  harness = await createHarness()
  world = approvalWorld(harness)
})
afterAll(async () => harness.close())

test('403: a change by SCIM counts as a change by the creator of its token', async () => {
  const org = await harness.organization()
  const author = await org.user('Org Admin')
  const workspace = await org.workspace({ by: author, criticality: 'production' })
  const token = (await author.post('/api/org/scim', { name: 'idp' })).json().token
  const scim = async (method: 'POST' | 'PATCH', url: string, payload: object) => {
    const answer = await harness.app.inject({
      method,
      url: `/api/scim/v2${url}`,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
      payload: JSON.stringify(payload),
    })
    expect(answer.statusCode, answer.body).toBeLessThan(300)
    return answer.json()
  }
  const person = async (userName: string) => {
    const { id: publicId } = await scim('POST', '/Users', {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      userName,
      emails: [{ value: userName, primary: true }],
    })
    const { id } = await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant).db('users').where({ publicId }).first('id'),
    )
    return { publicId, user: await world.signIn(org, { id, email: userName }) }
  }
  const made = await person(`made@${org.slug}.example`)
  await world.change(await org.user('Owner'), made.user, { role: 'Deployer' })
  expect(await world.verdict(made.user, await world.waitingRun(org, author, workspace))).toBe(
    refused,
  )

  // A group promotes the member: the change counts for the token's creator and for the mapping's
  // author.
  const [mapper, plain] = [await org.user('Org Admin'), await org.user('Viewer')]
  const group = { groupName: 'Ops', role: 'Deployer' }
  expect((await mapper.post('/api/org/group-mappings', group)).statusCode).toBeLessThan(300)
  const { publicId } = await harness.deps.store.tenant(org.id, async (tenant) =>
    unwrap(tenant).db('users').where({ id: plain.id }).first('publicId'),
  )
  await scim('POST', '/Groups', {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
    displayName: 'Ops',
    members: [{ value: publicId }],
  })
  const makers = await harness.deps.store.tenant(org.id, async (tenant) =>
    unwrap(tenant)
      .db('person_makers')
      .where({ userId: plain.id })
      .orderBy('madeBy')
      .select('madeBy'),
  )
  expect(makers.map(({ madeBy }) => madeBy)).toEqual(
    [author.id, mapper.id].toSorted((one, other) => one - other),
  )
})

test('403: a person who maps a group promotes its members', async () => {
  const org = await harness.organization()
  const author = await org.user('Org Admin')
  const workspace = await org.workspace({ by: author, criticality: 'production' })
  const person = await org.user('Viewer')
  await harness.deps.store.tenant(org.id, async (tenant) =>
    unwrap(tenant)
      .db('saml_group_names')
      .insert({ organizationId: org.id, userId: person.id, name: 'ops' }),
  )
  const mapped = { groupName: 'Ops', role: 'Deployer' }
  expect((await author.post('/api/org/group-mappings', mapped)).statusCode).toBeLessThan(300)
  expect(await world.verdict(person, await world.waitingRun(org, author, workspace))).toBe(refused)
})

test('403: a session, or a token from it, of a SAML configuration that an author saved', async () => {
  const provider = await createSamlOrganization(harness)
  const { org, admin, domain } = provider
  const author = admin
  const known = `known@${domain}`
  // This user existed before, and another person invited them.
  const person = await world.invite(org, await org.user('Owner'))
  await world.change(await org.user('Owner'), person, { email: known })
  const workspace = await org.workspace({ by: author, criticality: 'production' })
  const answer = await provider.signIn({ attributes: { email: [known], groups: [] } })
  const cookie = answer.cookies.find(({ name }) => name.includes('session'))?.value ?? ''
  expect(cookie, answer.body).not.toBe('')
  const run = await world.waitingRun(org, author, workspace)
  const approve = async (headers: Record<string, string>) =>
    harness.app.inject({ method: 'POST', url: run.approveUrl, payload: {}, headers })
  const origin = { origin: harness.config.baseUrl ?? '' }
  const bySession = await approve({ cookie: `cc_session=${cookie}`, ...origin })
  expect([bySession.statusCode, bySession.json().code]).toEqual([403, 'approver_made_by_author'])
  expect(bySession.json().error).toContain('identity provider')

  const { id } = await harness.deps.store.tenant(org.id, async (tenant) =>
    unwrap(tenant).db('sessions').where({ userId: person.id, kind: 'saml' }).first('id'),
  )
  expect(
    await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant).db('sessions').where({ id }).first('idpSavedBy'),
    ),
  ).toEqual({ idpSavedBy: [author.id] })
  // The same user signed in with their own password.
  expect(await world.verdict(person, run)).toBe('approved')
})

test('an approval records the session with which it was given', async () => {
  const org = await harness.organization()
  const author = await org.user('Org Admin')
  const workspace = await org.workspace({ by: author, criticality: 'production' })
  const person = await org.user('Deployer')
  const run = await world.waitingRun(org, author, workspace)
  const saver = await org.user('Org Admin')
  await harness.deps.store.tenant(org.id, async (tenant) =>
    unwrap(tenant)
      .db('sessions')
      .where({ userId: person.id })
      .update({ kind: 'saml', idpSavedBy: [saver.id] }),
  )
  expect(await world.verdict(person, run)).toBe('approved')
  const standing = await harness.deps.store.tenant(org.id, async (tenant) =>
    approvals(tenant).standing(run.id),
  )
  expect(standing?.idpSavedBy).toEqual([saver.id])
})
