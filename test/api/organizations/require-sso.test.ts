import { afterAll, beforeAll, expect, test } from 'vitest'
import { hashPassword } from '../../../gateways/passwords/passwords.ts'
import { users } from '../../../store/users/users.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { createSamlOrganization } from '../../harness/saml-organization.ts'
import { createSecondApp, type SecondApp } from '../../harness/second-app.ts'

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

const password = 'correct horse battery staple'

test('403: required single sign-on: passwords sign in Owners only, and only a right password gets this error', async () => {
  const { org } = await createSamlOrganization(harness)
  const [owner, admin] = [await org.user('Owner'), await org.user('Org Admin')]
  const hash = await hashPassword(password)
  for (const { id } of [owner, admin])
    await harness.deps.store.tenant(org.id, async (tenant) => users(tenant).setPassword(id, hash))
  const logIn = async (email: string, secret = password) => {
    const payload = { email, password: secret }
    const answer = await second.app.inject({ method: 'POST', url: '/api/auth/login', payload })
    return [answer.statusCode, answer.json().code]
  }

  expect((await admin.patch('/api/org/sso', { requireSso: true })).statusCode).toBe(200)
  expect(await logIn(admin.email)).toEqual([403, 'sso_required'])
  // Only a right password gets this error, so an attacker cannot learn that the account exists.
  expect(await logIn(admin.email, 'not the password at all')).toEqual([401, 'invalid_credentials'])
  expect(await logIn(owner.email)).toEqual([200, undefined])
  await admin.patch('/api/org/sso', { requireSso: false })
  expect(await logIn(admin.email)).toEqual([200, undefined])
})

test('409: single sign-on cannot be required while it is not enabled', async () => {
  const org = await harness.organization()
  const bare = await org.user('Org Admin')
  const saved = await createSamlOrganization(harness, {}, { enabled: false })
  for (const admin of [bare, saved.admin]) {
    const answer = await admin.patch('/api/org/sso', { requireSso: true })
    expect([answer.statusCode, answer.json().code]).toEqual([409, 'sso_not_enabled'])
    expect(answer.json().error).toContain('identity provider')
    expect((await admin.get('/api/org/sso')).json().requireSso).toBe(false)
  }
})

test('409: required single sign-on cannot be disabled until passwords are allowed again', async () => {
  const { admin } = await createSamlOrganization(harness)
  const enable = async (enabled: boolean) => admin.patch('/api/org/saml', { enabled })
  expect((await admin.patch('/api/org/sso', { requireSso: true })).statusCode).toBe(200)
  const refused = await enable(false)
  expect([refused.statusCode, refused.json().code]).toEqual([409, 'sso_is_required'])
  expect((await admin.get('/api/org/saml')).json().saml.enabled).toBe(true)
  await admin.patch('/api/org/sso', { requireSso: false })
  expect((await enable(false)).statusCode).toBe(200)
})

test('concurrent requests to disable and to require single sign-on: one is refused', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { admin } = await createSamlOrganization(harness)
    await Promise.all([
      admin.patch('/api/org/sso', { requireSso: true }),
      admin.patch('/api/org/saml', { enabled: false }),
    ])
    const { saml, requireSso } = (await admin.get('/api/org/sso')).json()
    expect(requireSso && !saml.enabled).toBe(false)
  }
})
