import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { createIdentityProvider, type ResponseOptions } from '../../harness/identity-provider.ts'
import {
  createSamlOrganization,
  postResponse,
  sessionOf,
  type SamlOrganization,
} from '../../harness/saml-organization.ts'
import { wrappings, wrapSignature } from '../../harness/wrap-signature.ts'
import { expectRefused } from './expect-refused.ts'

let harness: Harness
let saml: SamlOrganization
let other: SamlOrganization
beforeAll(async () => {
  harness = await createHarness()
  saml = await createSamlOrganization(harness)
  other = await createSamlOrganization(harness)
})
afterAll(async () => harness.close())

const minutes = (n: number) => new Date(Date.now() + n * 60_000)
const email = () => `victim@${saml.domain}`
const mallory = () => `mallory@${saml.domain}`
const good = (): ResponseOptions => ({ nameId: mallory(), attributes: { email: mallory() } })
const sessionCount = async (organizationId = saml.org.id) => {
  const rows = await harness.deps.store
    .platform('sessions')
    .where({ organizationId, kind: 'saml' })
    .count('id as n')
  return Number(rows[0]?.['n'])
}

const post = async (
  make: ResponseOptions | ((begun: Awaited<ReturnType<SamlOrganization['begin']>>) => string),
) => {
  const begun = await saml.begin()
  const xml =
    typeof make === 'function' ? make(begun) : saml.idp.response(begun, { ...good(), ...make })
  return postResponse(harness, begun, xml)
}

test('303: the unchanged response signs in', async () => {
  const answer = await post({})
  expect([answer.statusCode, Boolean(sessionOf(answer))]).toEqual([303, true])
})

describe('400: invalid responses', () => {
  const cases: Record<string, ResponseOptions> = {
    unsigned: { sign: 'none' },
    'another audience': { audience: 'https://elsewhere.test' },
    'another organization’s audience': { audience: 'OTHER' },
    'another recipient': { recipient: 'https://elsewhere.test/acs' },
    'another destination': { destination: 'https://elsewhere.test/acs' },
    'another issuer': { issuer: 'https://elsewhere.test' },
    'another issuer of the response': { responseIssuer: 'https://elsewhere.test' },
    expired: { notOnOrAfter: minutes(-2), issuedAt: minutes(-5) },
    stale: { issuedAt: minutes(-12) },
    'another request’s signed InResponseTo': {
      inResponseTo: `_${'b'.repeat(40)}`,
      responseInResponseTo: undefined as never,
    },
    'SHA-1': { signing: { signatureAlgorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' } },
    'no name': { nameId: '' },
  }
  for (const [name, options] of Object.entries(cases))
    test(name, async () => {
      const audience =
        options.audience === 'OTHER'
          ? { audience: `${harness.config.baseUrl}/api/auth/saml/metadata?org=${other.org.slug}` }
          : {}
      const before = await sessionCount()
      expectRefused(
        await post((begun) =>
          saml.idp.response(begun, {
            ...good(),
            ...options,
            responseInResponseTo: begun.requestId,
            ...audience,
          }),
        ),
      )
      expect(await sessionCount()).toBe(before)
    })

  for (const wrapping of wrappings)
    test(`XSW${wrapping}`, async () => {
      for (const sameId of [false, true])
        expectRefused(
          await post((begun) => {
            const sign = wrapping < 3 ? 'response' : 'both'
            const xml = saml.idp.response(begun, { ...good(), sign })
            return wrapSignature(xml, wrapping, { from: mallory(), to: email(), sameId })
          }),
        )
    })

  test('another organization’s provider, for a request of this one', async () => {
    expectRefused(
      await post((begun) =>
        other.idp.response(begun, {
          ...good(),
          issuer: saml.idp.entityId,
          responseIssuer: saml.idp.entityId,
        }),
      ),
    )
  })

  test('a genuine response of another organization that has the same provider', async () => {
    // Two organizations share one provider, so only the audience distinguishes them.
    const shared = await createSamlOrganization(harness, {
      idpEntityId: saml.idp.entityId,
      certificate: saml.idp.certificate,
    })
    const theirs = await shared.begin()
    const mine = await saml.begin()
    const xml = saml.idp.response({ ...theirs, requestId: mine.requestId }, good())
    expectRefused(await postResponse(harness, mine, xml))
    expectRefused(
      await postResponse(
        harness,
        theirs,
        saml.idp.response({ ...mine, requestId: theirs.requestId }, good()),
      ),
    )
  })

  test('a comment that splits an address', async () => {
    expectRefused(
      await post((begun) =>
        saml.idp
          .response(begun, { ...good(), attributes: { email: `${email()}.evil.test` } })
          .replace(email(), `${email()}<!-- -->`),
      ),
    )
  })

  test('document types and entities, in every position', async () => {
    const entity = `<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/hostname">]>`
    for (const evil of [
      (xml: string) => entity + xml,
      (xml: string) => `<?xml version="1.0"?>${entity}${xml}`,
      (xml: string) => xml.replace('<samlp:Status>', `${entity}<samlp:Status>`),
      (xml: string) => `<?xml version="1.0" encoding="UTF-16"?>${xml}`,
      (xml: string) => `<?xml-stylesheet href="x"?>${xml}`,
      (xml: string) => xml.replace('<samlp:Status>', '&x;<samlp:Status>'),
    ])
      expectRefused(await post((begun) => evil(saml.idp.response(begun, good()))))
  })

  test('excessive depth, width and number of attributes', async () => {
    const at = '<samlp:Status>'
    for (const evil of [
      '<a>'.repeat(5_000) + '</a>'.repeat(5_000),
      '<a/>'.repeat(30_000),
      `<a ${Array.from({ length: 5_000 }, (_, n) => `b${n}=""`).join(' ')}/>`,
    ])
      expectRefused(await post((begun) => saml.idp.response(begun, good()).replace(at, evil + at)))
  })

  test('an encrypted assertion, a LogoutResponse, and XML that is not a Response', async () => {
    const encrypted = '<saml:EncryptedAssertion><x/></saml:EncryptedAssertion>'
    expectRefused(
      await post((begun) =>
        saml.idp.response(begun, { assertionXml: encrypted, sign: 'response' }),
      ),
    )
    for (const xml of ['', '<x/>', 'no xml', '<samlp:Response', '{"json":1}'])
      expectRefused(await post(() => xml), xml)
  })
})

describe('400, 413, 415: forms', () => {
  const send = async (payload: string | Buffer, type = 'application/x-www-form-urlencoded') =>
    harness.app.inject({
      method: 'POST',
      url: '/api/auth/saml/acs',
      headers: { 'content-type': type },
      payload,
    })
  test('no message, two messages, an array, invalid base64', async () => {
    const begun = await saml.begin()
    const base64 = Buffer.from(saml.idp.response(begun, good())).toString('base64')
    const value = encodeURIComponent(base64)
    for (const form of [
      '',
      'RelayState=x',
      'SAMLResponse=',
      'SAMLResponse=%',
      `SAMLResponse=${value}&SAMLResponse=${value}`,
      `SAMLResponse[]=${value}`,
      `SAMLResponse=${value}&%53AMLResponse=${value}`,
      `SAMLRequest=${value}&SAMLResponse=${value}`,
      `SAMLResponse=${value}&RelayState=a&RelayState=b`,
      `SAMLResponse=${encodeURIComponent(`${base64.slice(0, 40)}*${base64.slice(40)}`)}`,
      `SAMLResponse=${encodeURIComponent(base64.slice(0, -1))}`,
      `SAMLResponse=${Buffer.from([0xff, 0xfe, 0x3c]).toString('base64')}`,
    ])
      expectRefused(await send(form), form.slice(0, 40))
    // The refused forms have not consumed the request. Line breaks are allowed in base64.
    const lines = base64.replaceAll(/.{76}/g, '$&\r\n')
    const answer = await send(`SAMLResponse=${encodeURIComponent(lines)}`)
    expect(answer.statusCode).toBe(303)
  })

  test('too large or of another type: answered with a page', async () => {
    const large = await send(`SAMLResponse=${'A'.repeat(530_000)}`)
    const json = await send('{"SAMLResponse":"x"}', 'application/json')
    const none = await harness.app.inject({ method: 'POST', url: '/api/auth/saml/acs' })
    expect([large.statusCode, json.statusCode]).toEqual([413, 415])
    expect(none.statusCode).toBeGreaterThanOrEqual(400)
    expect(none.statusCode).toBeLessThan(500)
    for (const answer of [large, json, none])
      expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
  })
})

test('a key that was removed from the configuration', async () => {
  const stranger = await createIdentityProvider()
  expectRefused(
    await post((begun) =>
      stranger.response(begun, {
        ...good(),
        issuer: saml.idp.entityId,
        responseIssuer: saml.idp.entityId,
        sign: 'both',
      }),
    ),
  )
})
