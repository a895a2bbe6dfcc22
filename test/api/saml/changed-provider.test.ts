import { afterAll, beforeAll, expect, test } from 'vitest'
import { takeAssertion } from '../../../api/saml/take-assertion.ts'
import {
  createResponseVerifier,
  type ResponseVerifier,
} from '../../../gateways/saml/verify-response.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { createIdentityProvider } from '../../harness/identity-provider.ts'
import { createSamlOrganization, type SamlOrganization } from '../../harness/saml-organization.ts'

let harness: Harness
let verifier: ResponseVerifier
beforeAll(async () => {
  harness = await createHarness()
  verifier = createResponseVerifier({ twice: false })
})
afterAll(async () => {
  await verifier.close()
  await harness.close()
})

/** A sign-in as the Owner, by a provider that an Org Admin saved; the Owner saves this one after the verification. */
async function signInDuring(change: (saml: SamlOrganization) => Promise<object>) {
  const saml = await createSamlOrganization(harness, {}, { editor: 'Org Admin' })
  const owner = await saml.org.user('Owner')
  const begun = await saml.begin()
  const attributes = { email: owner.email }
  const xml = saml.idp.response(begun, { nameId: owner.email, attributes })
  const slow: ResponseVerifier = {
    ...verifier,
    async verify(...answer) {
      const read = await verifier.verify(...answer)
      const saved = await owner.post('/api/org/saml', await change(saml))
      expect(saved.statusCode, saved.body).toBe(200)
      return read
    },
  }
  const [, cookie] = begun.cookie.split('=')
  const outcome = await takeAssertion(harness.deps, slow, {
    form: new URLSearchParams({ SAMLResponse: Buffer.from(xml).toString('base64') }).toString(),
    visit: {
      visitor: { ip: '127.0.0.1', userAgent: '', requestId: 'r' },
      origin: harness.config.baseUrl ?? '',
      browserCookie: () => cookie,
      fromBrowser: true,
    },
  })
  const sessions = await harness.deps.store
    .platform('sessions')
    .where({ userId: owner.id, kind: 'saml' })
  const [trace] = (await owner.get('/api/org/saml/traces')).json().traces
  return { kind: outcome.kind, sessions: sessions.length, cause: trace.cause }
}

const refused = { kind: 'failed', sessions: 0, cause: 'configuration_changed' }

test('303: a certificate that was replaced after it verified a response opens no session', async () => {
  const settled = await signInDuring(async ({ idp }) => ({
    idpEntityId: idp.entityId,
    certificate: (await createIdentityProvider()).certificate,
  }))
  expect(settled).toEqual(refused)
})

test('303: nor does an entity ID that was replaced, although the certificate is kept', async () => {
  const settled = await signInDuring(async () => ({ idpEntityId: 'https://other.example/idp' }))
  expect(settled).toEqual(refused)
})

test('303: a certificate that another one was added to still does', async () => {
  const settled = await signInDuring(async ({ idp }) => ({
    idpEntityId: idp.entityId,
    certificate: `${idp.certificate}\n${(await createIdentityProvider()).certificate}`,
  }))
  expect(settled).toEqual({ kind: 'signed_in', sessions: 1, cause: null })
})
