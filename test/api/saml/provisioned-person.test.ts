import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import {
  createSamlOrganization,
  meOf,
  sessionOf,
  type SamlOrganization,
} from '../../harness/saml-organization.ts'
import { scimClient, type ScimClient } from '../scim/scim-client.ts'

// SCIM creates these people, and they sign in by SAML.
let harness: Harness
let saml: SamlOrganization
let idp: ScimClient
beforeAll(async () => {
  harness = await createHarness()
  saml = await createSamlOrganization(harness)
  idp = await scimClient(harness, saml.org)
})
afterAll(async () => harness.close())

let people = 0
const someone = () => `p${(people += 1)}@${saml.domain}`
const as = (email: string) => ({ nameId: email, attributes: { email: [email] } })

test('303 failed: an address that is another person’s user name; 303: a user without an address is found by user name', async () => {
  const [name, other] = [someone(), someone()]
  const { id } = await idp.user(name.toUpperCase(), { emails: [{ value: other, primary: true }] })
  const answer = await saml.signIn(as(name))
  expect([answer.statusCode, answer.headers.location]).toEqual([303, '/login?sso=failed'])
  expect(sessionOf(answer)).toBeUndefined()
  const traces = await saml.admin.get('/api/org/saml/traces')
  expect(traces.body).toContain('email_is_the_user_name_of_another')
  expect((await meOf(harness, await saml.signIn(as(other)))).user.email).toBe(other)

  // A person without an address is found by their user name, so no second person is created.
  await idp.patch(`/Users/${id}`, { op: 'remove', path: 'emails' })
  const me = await meOf(harness, await saml.signIn(as(name)))
  const { rows } = await harness.deps.store.platform.raw(
    'select id from users where public_id = ?',
    [id],
  )
  expect(me.user.id).toBe(rows[0].id)
})

test('303: a sign-in while SCIM creates the same person: one person, who is signed in', async () => {
  for (let round = 0; round < 5; round += 1) {
    const email = someone()
    const [answer, made] = await Promise.all([
      saml.signIn(as(email)),
      idp.post('/Users', { userName: email }),
    ])
    expect(answer.headers.location).toBe('/')
    expect([201, 409]).toContain(made.statusCode)
    expect((await saml.admin.get(`/api/org/users?q=${email}`)).json().users).toHaveLength(1)
  }
})

test('303 failed: a person whom SCIM deleted does not come back by their user name', async () => {
  const [name, other] = [someone(), someone()]
  const { id } = await idp.user(name, { emails: [{ value: other, primary: true }] })
  const refused = await saml.signIn(as(name))
  expect(sessionOf(refused)).toBeUndefined()
  expect((await idp.delete(`/Users/${id}`)).statusCode).toBe(204)
  for (const identifier of [name, other]) {
    const again = await saml.signIn(as(identifier))
    expect(again.headers.location, identifier).toBe('/login?sso=failed')
    expect(sessionOf(again)).toBeUndefined()
  }
})
