import { unwrap } from '../../../store/driver/tenant.ts'
import { createPrivateKey } from 'node:crypto'
import type { LightMyRequestResponse } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeCertificate } from '../../../gateways/saml/make-certificate.ts'
import { approvals } from '../../../store/runs/approvals.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { createIdentityProvider, makeKey } from '../../harness/identity-provider.ts'
import { createSamlOrganization, postResponse, sessionOf } from '../../harness/saml-organization.ts'
import { groupUrn, userUrn } from '../scim/scim-client.ts'
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

describe('an Org Admin who signs in as another one, by an identity provider of their own', () => {
  /** The author's provider has opened `asOther`, a session of another Org Admin. */
  const impersonated = async () => {
    const provider = await createSamlOrganization(harness, {}, { editor: 'Org Admin' })
    const { org, admin: author, domain } = provider
    const other = await org.user('Org Admin')
    const known = `other@${domain}`
    await world.change(await org.user('Owner'), other, { email: known })
    const workspace = await org.workspace({ by: author, criticality: 'production' })
    const answer = await provider.signIn({ attributes: { email: [known], groups: [] } })
    const asOther = bySession(answer)
    const makersOf = async (userId: number): Promise<number[]> => {
      const rows = await harness.deps.store.tenant(org.id, async (tenant) =>
        unwrap(tenant).db('person_makers').where({ userId }).orderBy('madeBy').select('madeBy'),
      )
      return rows.map(({ madeBy }) => madeBy)
    }
    return { provider, org, author, other, workspace, asOther, makersOf }
  }
  const bySession = (answer: LightMyRequestResponse) => async (url: string, payload: object) =>
    harness.app.inject({
      method: 'POST',
      url,
      payload,
      headers: {
        cookie: `cc_session=${sessionOf(answer)}`,
        origin: harness.config.baseUrl ?? '',
      },
    })
  const sorted = (...people: Array<{ id: number }>) =>
    people.map(({ id }) => id).toSorted((one, other) => one - other)

  test('403: who comes in by a provider that was saved in that session', async () => {
    const { provider, org, author, other, workspace, asOther } = await impersonated()
    const idp = await createIdentityProvider()
    const saved = await asOther('/api/org/saml', { metadataXml: idp.metadata() })
    expect(saved.statusCode, saved.body).toBe(200)
    expect(await saversOf(org)).toEqual(sorted(author, other))
    const third = await org.user('Deployer')
    const known = `third@${provider.domain}`
    await world.change(await org.user('Owner'), third, { email: known })
    const begun = await provider.begin()
    const response = idp.response(begun, { attributes: { email: [known], groups: [] } })
    const asThird = bySession(await postResponse(harness, begun, response))
    const run = await world.waitingRun(org, author, workspace)

    const answer = await asThird(run.approveUrl, {})

    expect([answer.statusCode, answer.json().code]).toEqual([403, 'approver_made_by_author'])
  })

  test('403: a person who was invited in that session', async () => {
    const { org, author, other, workspace, asOther, makersOf } = await impersonated()
    const email = `puppet@${org.slug}.example`
    const invited = await asOther('/api/org/users', { email, name: 'Puppet', role: 'Deployer' })
    expect(invited.statusCode, invited.body).toBe(201)
    const { id } = invited.json().user
    expect(await makersOf(id)).toEqual(sorted(author, other))
    const puppet = await world.signIn(org, { id, email })
    expect(await world.verdict(puppet, await world.waitingRun(org, author, workspace))).toBe(
      refused,
    )
  })

  test('403: a person whom a SCIM token or a group mapping of that session made', async () => {
    const { org, author, other, workspace, asOther, makersOf } = await impersonated()
    const created = await asOther('/api/org/scim', { name: 'idp' })
    expect(created.statusCode, created.body).toBe(201)
    const group = { groupName: 'Ops', role: 'Deployer' }
    expect((await asOther('/api/org/group-mappings', group)).statusCode).toBe(201)
    const scim = async (url: string, payload: object) => {
      const headers = {
        authorization: `Bearer ${created.json().token}`,
        'content-type': 'application/scim+json',
      }
      const body = JSON.stringify(payload)
      const answer = await harness.app.inject({ method: 'POST', url, payload: body, headers })
      expect(answer.statusCode, answer.body).toBe(201)
      return answer.json().id
    }
    const userName = `made@${org.slug}.example`
    const publicId = await scim('/api/scim/v2/Users', { schemas: [userUrn], userName })
    const { id } = await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant).db('users').where({ publicId }).first('id'),
    )
    expect(await makersOf(id)).toEqual(sorted(author, other))
    const forget = async () =>
      harness.deps.store.tenant(org.id, async (tenant) =>
        unwrap(tenant).db('person_makers').where({ userId: id }).delete(),
      )
    await forget()
    const members = [{ value: publicId }]
    await scim('/api/scim/v2/Groups', { schemas: [groupUrn], displayName: 'Ops', members })
    expect(await makersOf(id)).toEqual(sorted(author, other))
    const puppet = await world.signIn(org, { id, email: userName })
    const run = await world.waitingRun(org, author, workspace)
    expect(await world.verdict(puppet, run)).toBe(refused)

    await forget()
    expect(
      (await asOther('/api/org/group-mappings', { ...group, role: 'Viewer' })).statusCode,
    ).toBe(200)
    expect((await asOther('/api/org/group-mappings', group)).statusCode).toBe(200)
    expect(await makersOf(id)).toEqual(sorted(author, other))
  })
})

test('a certificate that is renewed over its key leaves out nobody who saved the provider', async () => {
  const { org, admin, idp } = await createSamlOrganization(harness)
  const second = await org.user('Owner')
  const save = async ({ certificate }: { certificate: string }) => {
    const answer = await second.post('/api/org/saml', { idpEntityId: idp.entityId, certificate })
    expect(answer.statusCode, answer.body).toBe(200)
  }
  const certificate = makeCertificate({
    commonName: 'renewed',
    privateKey: createPrivateKey(idp.privateKey),
    notBefore: new Date(Date.now() - 3_600_000),
    notAfter: new Date(Date.now() + 86_400_000),
  })
  await save({ certificate })
  expect(await saversOf(org)).toEqual([admin.id, second.id].toSorted((one, other) => one - other))
  await save(await makeKey({}))
  expect(await saversOf(org)).toEqual([second.id])
})

/** In ascending order. */
const saversOf = async (org: { id: number }): Promise<number[]> => {
  const { savedBy } = await harness.deps.store.tenant(org.id, async (tenant) =>
    unwrap(tenant).db('saml_configurations').first('savedBy'),
  )
  return savedBy.toSorted((one: number, other: number) => one - other)
}

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
