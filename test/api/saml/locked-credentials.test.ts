import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Role } from '../../../domain/access/roles.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { createSamlOrganization, requireSso, sessionOf } from '../../harness/saml-organization.ts'
import { addressOf, callRoute, cookieOf } from '../access/call-route.ts'
import { codeOf, logIn, password, person, personWithCode, send } from '../sign-in/people.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

const bySso = async (role: Role, { withPassword = true } = {}) => {
  const saml = await createSamlOrganization(harness)
  const somebody = withPassword
    ? await person(harness, { role, org: saml.org })
    : { user: await saml.org.user(role) }
  const { email } = somebody.user
  const cookie = sessionOf(await saml.signIn({ nameId: email, attributes: { email } })) ?? ''
  const headers = cookieOf(cookie, harness.config.baseUrl)
  const call = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object) =>
    harness.app.inject({ method, url, headers, ...(payload && { payload }) })
  return { saml, user: somebody.user, email, headers, call }
}

const refused = (answer: Awaited<ReturnType<Harness['app']['inject']>>) => {
  expect([answer.statusCode, answer.json().code]).toEqual([403, 'password_session_required'])
}

describe('403: a SAML session may not change credentials', () => {
  test('each route that changes a credential refuses with this reason, and nothing changes', async () => {
    const { user, email, headers } = await bySso('Owner')
    const routes = harness.app.routeTable().filter(({ changesCredential }) => changesCredential)
    expect(routes.map(({ method, url }) => `${method} ${url}`).toSorted()).toEqual([
      'DELETE /api/auth/mfa',
      'DELETE /api/auth/sessions/:id',
      'DELETE /api/auth/tokens/:id',
      'POST /api/auth/mfa/activate',
      'POST /api/auth/mfa/enroll',
      'POST /api/auth/password',
      'POST /api/auth/tokens',
      'POST /api/org/tokens',
    ])
    for (const route of routes)
      refused(await callRoute(harness.app, route, { address: addressOf(route), headers, body: {} }))
    expect((await user.get('/api/auth/me')).json()).toMatchObject({ user: { mfaEnabled: false } })
    // Denials are in the audit log, each once a minute.
    const { entries } = (await user.get('/api/audit?event=auth.denied')).json()
    expect(entries.length).toBeGreaterThan(0)
    expect((await logIn(harness.app, { email, password })).json().ok).toBe(true)
  })

  test('an administrator’s routes do not change their own address, second factor or tokens either', async () => {
    const { user, call } = await bySso('Owner')
    const own = `/api/org/users/${user.id}`
    refused(await call('PATCH', own, { email: 'mallory@elsewhere.test' }))
    const factor = await call('DELETE', `${own}/mfa`)
    expect([factor.statusCode, factor.json().code]).toEqual([403, 'own_second_factor'])
    const made = (await user.post('/api/auth/tokens', { name: 'ci', role: 'Viewer' })).json()
    refused(await call('DELETE', `/api/org/tokens/${made.id}`))
    const { tokens } = (await user.get('/api/auth/tokens')).json()
    expect(tokens).toHaveLength(1)
    const other = await person(harness)
    expect((await call('DELETE', `/api/auth/sessions/${other.user.id}`)).statusCode).toBe(403)
  })

  test('200: the session reads credentials, renames its user and signs out; it lists what it may not do', async () => {
    const { user, call } = await bySso('Owner')
    expect((await call('GET', '/api/auth/me')).json().auth.mayChangeCredentials).toBe(false)
    expect((await user.get('/api/auth/me')).json().auth.mayChangeCredentials).toBe(true)
    for (const url of ['/api/auth/tokens', '/api/auth/sessions', '/api/org/tokens'])
      expect((await call('GET', url)).statusCode).toBe(200)
    expect((await call('PATCH', `/api/org/users/${user.id}`, { name: 'Ada' })).statusCode).toBe(200)
    expect((await call('POST', '/api/auth/logout')).statusCode).toBe(200)
  })

  test('a SCIM token, which could change the address: refused where a password opens the account', async () => {
    const { saml, user, call } = await bySso('Org Admin')
    refused(await call('POST', '/api/org/scim', { name: 'idp' }))
    expect((await user.post('/api/org/scim', { name: 'idp' })).statusCode).toBe(201)
    await requireSso(saml.admin)
    expect((await call('POST', '/api/org/scim', { name: 'idp 2' })).statusCode).toBe(201)
  })

  test('200: an Org Admin by single sign-on still revokes the tokens of others', async () => {
    const { saml, call } = await bySso('Org Admin')
    const made = await saml.admin.post('/api/auth/tokens', { name: 'ci', role: 'Viewer' })
    expect((await call('DELETE', `/api/org/tokens/${made.json().id}`)).statusCode).toBe(200)
  })
})

describe('an account without a password', () => {
  test('200: its SAML session creates tokens and a second factor', async () => {
    const { call } = await bySso('Deployer', { withPassword: false })
    const made = await call('POST', '/api/auth/tokens', { name: 'ci', role: 'Viewer' })
    expect(made.statusCode).toBe(201)
    expect((await call('POST', '/api/auth/mfa/enroll')).statusCode).toBe(200)
  })

  test('200: a second factor older than the password does not lock out a person who accepts the invitation', async () => {
    const saml = await createSamlOrganization(harness)
    const email = `invited@${saml.domain}`
    const invited = await saml.admin.post('/api/org/users', {
      email,
      name: 'Ivy',
      role: 'Deployer',
    })
    expect(invited.statusCode).toBe(201)
    const mail = await harness.mailTo(email)
    const cookie = sessionOf(await saml.signIn({ nameId: email, attributes: { email } })) ?? ''
    const headers = cookieOf(cookie, harness.config.baseUrl)
    const { secret } = (await send(harness.app, '/api/auth/mfa/enroll', {}, headers)).json()
    const active = { code: codeOf(secret) }
    expect((await send(harness.app, '/api/auth/mfa/activate', active, headers)).statusCode).toBe(
      200,
    )

    const token = { name: 'ci', role: 'Viewer' }
    const made = (await send(harness.app, '/api/auth/tokens', token, headers)).json()
    const opens = async (by: object) =>
      (await harness.app.inject({ url: '/api/auth/me', headers: by as never })).statusCode
    const bearer = { authorization: `Bearer ${String(made.token)}` }
    expect([await opens(headers), await opens(bearer)]).toEqual([200, 200])

    const link = /accept#([\w-]+)/.exec(mail.text)?.[1]
    const accepted = { token: link, password }
    const answer = await send(harness.app, '/api/auth/invitations/accept', accepted)
    expect(answer.statusCode).toBe(200)
    expect((await logIn(harness.app, { email, password })).json()).toMatchObject({
      user: { email },
    })
    // What the provider's session had made is ended, and the session too.
    expect([await opens(headers), await opens(bearer)]).toEqual([401, 401])
  })
})

test('attack: an Org Admin’s provider can neither sign in as the Owner nor lock them out', async () => {
  const saml = await createSamlOrganization(harness, {}, { editor: 'Org Admin' })
  const owner = await personWithCode(harness, { org: saml.org, role: 'Owner' })
  const answer = await saml.signIn({ nameId: owner.email, attributes: { email: owner.email } })
  expect([answer.statusCode, sessionOf(answer)]).toEqual([400, undefined])
  const { mfaToken } = (await logIn(harness.app, { email: owner.email, password })).json()
  const code = codeOf(owner.secret)
  expect((await send(harness.app, '/api/auth/mfa/verify', { mfaToken, code })).statusCode).toBe(200)
})
