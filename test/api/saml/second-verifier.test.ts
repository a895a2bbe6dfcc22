import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../../config.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { SpSide } from '../../harness/identity-provider.ts'
import { createSamlOrganization, postResponse } from '../../harness/saml-organization.ts'

const read = (env: NodeJS.ProcessEnv) =>
  readConfig({
    DATABASE_URL: 'postgres://nobody@localhost/none',
    TEMPORAL_ADDRESS: 'localhost:1',
    CC_KEYRING: `k1=${Buffer.alloc(32, 1).toString('base64')}`,
    ...env,
  }).samlSecondVerifier

describe('CC_SAML_SECOND_VERIFIER', () => {
  test('is on unless the operator sets `none`', () => {
    expect(read({})).toBe(true)
    expect(read({ CC_SAML_SECOND_VERIFIER: '' })).toBe(true)
    expect(read({ CC_SAML_SECOND_VERIFIER: 'node-saml' })).toBe(true)
    expect(read({ CC_SAML_SECOND_VERIFIER: 'none' })).toBe(false)
  })

  test('refuses to start with any other value, so that a typing error does not turn the check off', () => {
    for (const slip of ['None', 'off', 'false', 'nodesaml'])
      expect(() => read({ CC_SAML_SECOND_VERIFIER: slip })).toThrow(/CC_SAML_SECOND_VERIFIER/)
  })
})

/**
 * A genuine, correctly signed response that our reader accepts and node-saml rejects, because its
 * audience is on a separate line.
 */
const acceptedByOursAlone = ({ audience }: SpSide, domain: string) => ({
  attributes: { email: `ada@${domain}` },
  conditionsXml: `<saml:Conditions NotOnOrAfter="${new Date(Date.now() + 300_000).toISOString()}"><saml:AudienceRestriction><saml:Audience>\n${audience}\n</saml:Audience></saml:AudienceRestriction></saml:Conditions>`,
})

async function signIn(harness: Harness) {
  const saml = await createSamlOrganization(harness)
  const begun = await saml.begin()
  const options = acceptedByOursAlone(begun, saml.domain)
  const answer = await postResponse(harness, begun, saml.idp.response(begun, options))
  const shown = (await saml.admin.get('/api/org/saml/traces')).json()
  return { answer, shown }
}

describe('a response that only the product’s own reader accepts', () => {
  let asIs: Harness
  let off: Harness
  beforeAll(async () => {
    asIs = await createHarness()
    off = await createHarness({ env: { CC_SAML_SECOND_VERIFIER: 'none' } })
  })
  afterAll(async () => {
    await asIs?.close()
    await off?.close()
  })

  test('400: refused by default, and the administrator can read why', async () => {
    const { answer, shown } = await signIn(asIs)
    expect(answer.statusCode).toBe(400)
    expect(answer.cookies.some(({ name }) => name.endsWith('cc_session'))).toBe(false)
    expect(JSON.stringify(shown)).toContain('second_verifier_refused')
  })

  test('303: signs in after the operator turned the second verifier off', async () => {
    const { answer } = await signIn(off)
    expect(answer.statusCode).toBe(303)
    expect(answer.headers['location']).toBe('/')
  })
})
