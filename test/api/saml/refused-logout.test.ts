import { unwrap } from '../../../store/driver/tenant.ts'
import { sign } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import { SAML } from '@node-saml/node-saml'
import type { LightMyRequestResponse } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signEnveloped } from '../../../domain/saml/enveloped-signature.ts'
import { redirectUrl } from '../../../domain/saml/redirect-binding.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { createSecondApp } from '../../harness/second-app.ts'
import {
  addressOfSlo,
  auditOf,
  byPost,
  byRedirect,
  isAlive,
  newKey,
  postForm,
  provider,
  requestXml,
  responseXml,
  signedIn,
  type Provider,
  type SignedIn,
} from './logout-provider.ts'

let harness: Harness
let idp: Provider
let ada: SignedIn
beforeAll(async () => {
  harness = await createHarness()
  idp = await provider(harness)
  ada = await signedIn(harness, idp)
})
afterAll(async () => harness.close())

const kind = 'SAMLRequest' as const
const xmlOf = (change = {}) => requestXml(harness, idp, { ...ada, ...change })
const get = async (query: string) => harness.app.inject({ url: `/api/auth/saml/slo?${query}` })

/** A valid query, which each case changes. */
const queryOf = (xml = xmlOf()) =>
  redirectUrl({ kind, xml, destination: '', relayState: 'state' }, idp.key.privateKey).slice(1)

/** Signed correctly with a forbidden algorithm. */
function signedBy(hash: string, algorithm: string): string {
  const message = encodeURIComponent(deflateRawSync(xmlOf()).toString('base64'))
  const text = `SAMLRequest=${message}&SigAlg=${encodeURIComponent(algorithm)}`
  const signature = sign(hash, Buffer.from(text), idp.key.privateKey).toString('base64')
  return `${text}&Signature=${encodeURIComponent(signature)}`
}

const deflated = (xml: string) => encodeURIComponent(deflateRawSync(xml).toString('base64'))
const post = (xml: string) =>
  postForm(harness, { SAMLRequest: Buffer.from(xml).toString('base64') })
const dsig = 'http://www.w3.org/2000/09/xmldsig#'
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)

const bad: Record<string, () => Promise<LightMyRequestResponse>> = {
  'nothing at all': async () => get(''),
  'RelayState alone': async () => get('RelayState=x'),
  'unsigned, by redirect': async () => get(`SAMLRequest=${deflated(xmlOf())}`),
  'unsigned, by post': async () => post(xmlOf()),
  'an empty signature': async () => get(queryOf().replace(/Signature=.*/, 'Signature=')),
  'a signature of another key': async () =>
    byRedirect(harness, idp, { kind, xml: xmlOf(), key: newKey() }),
  'a signature of another key, by post': async () =>
    byPost(harness, idp, { kind, xml: xmlOf(), key: newKey() }),
  'another message under the signature': async () =>
    get(queryOf().replace(/SAMLRequest=[^&]*/, `SAMLRequest=${deflated(xmlOf())}`)),
  'another RelayState under the signature': async () => get(queryOf().replace('=state', '=other')),
  'RelayState taken away': async () => get(queryOf().replace('&RelayState=state', '')),
  'SHA-1': async () => get(signedBy('sha1', `${dsig}rsa-sha1`)),
  MD5: async () => get(signedBy('md5', 'http://www.w3.org/2001/04/xmldsig-more#rsa-md5')),
  'SHA-512': async () =>
    get(signedBy('sha512', 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512')),
  'SHA-1, in a form': async () => postForm(harness, signedBy('sha1', `${dsig}rsa-sha1`)),
  'SHA-1 inside, by post': async () =>
    post(signEnveloped(xmlOf(), idp.key).replace('xmlenc#sha256', 'xmldsig#sha1')),
  'the message twice': async () => get(`${queryOf()}&SAMLRequest=${deflated(xmlOf())}`),
  'the message twice, the forged one first': async () =>
    get(`SAMLRequest=${deflated(xmlOf())}&${queryOf()}`),
  'the signature twice': async () => get(`${queryOf()}&Signature=AAAA`),
  'an encoded name beside': async () => get(`SAML%52equest=${deflated(xmlOf())}&${queryOf()}`),
  'an encoded name alone': async () => get(queryOf().replace('SAMLRequest', 'SAML%52equest')),
  'request and response': async () => get(`${queryOf()}&SAMLResponse=x`),
  'a form’s field twice': async () =>
    postForm(harness, `SAMLRequest=${deflated(xmlOf())}&SAMLRequest=${deflated(xmlOf())}`),
  'a NUL': async () => get(`${queryOf()}&x=%00`),
  'no base64': async () => get(queryOf().replace('SAMLRequest=', 'SAMLRequest=%20')),
  'no deflate': async () => get(queryOf().replace(/SAMLRequest=[^&]*/, 'SAMLRequest=AAAA')),
  'a bomb': async () => {
    const bomb = deflateRawSync(Buffer.alloc(300_000_000)).toString('base64')
    return postForm(
      harness,
      queryOf().replace(/SAMLRequest=[^&]*/, `SAMLRequest=${encodeURIComponent(bomb)}`),
    )
  },
  'no XML': async () => post('hello'),
  'a DOCTYPE': async () => post(`<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>${xmlOf()}`),
  depth: async () => post('<a>'.repeat(50_000)),
  'another destination': async () =>
    byRedirect(harness, idp, {
      kind,
      xml: xmlOf({ destination: 'https://elsewhere.example/slo' }),
    }),
  'no destination': async () =>
    byRedirect(harness, idp, { kind, xml: xmlOf().replace(/ Destination="[^"]*"/, '') }),
  'no destination, by post': async () =>
    byPost(harness, idp, { kind, xml: xmlOf().replace(/ Destination="[^"]*"/, '') }),
  'another issuer': async () =>
    byRedirect(harness, idp, { kind, xml: xmlOf().replace(idp.issuer, 'https://other.example/') }),
  'no issuer': async () =>
    byRedirect(harness, idp, { kind, xml: xmlOf().replace(/<saml:Issuer>.*?<\/saml:Issuer>/, '') }),
  'issued long ago': async () =>
    byRedirect(harness, idp, { kind, xml: xmlOf({ now: minutesAgo(7) }) }),
  'issued in the future': async () =>
    byRedirect(harness, idp, { kind, xml: xmlOf({ now: minutesAgo(-7) }) }),
  over: async () =>
    byPost(harness, idp, {
      kind,
      xml: xmlOf().replace(' Version', ` NotOnOrAfter="${minutesAgo(2).toISOString()}" Version`),
    }),
  'an encrypted name': async () =>
    byRedirect(harness, idp, { kind, xml: xmlOf().replaceAll('saml:NameID', 'saml:EncryptedID') }),
  'another message': async () =>
    byRedirect(harness, idp, { kind, xml: xmlOf().replaceAll('LogoutRequest', 'AuthnRequest') }),
  'a request as a response': async () =>
    byRedirect(harness, idp, { kind: 'SAMLResponse', xml: xmlOf() }),
  'an answer to nothing': async () =>
    byRedirect(harness, idp, {
      kind: 'SAMLResponse',
      xml: responseXml(harness, idp, { inResponseTo: '_nothing' }),
    }),
  'wrapped, the signed one inside': async () => {
    const signed = signEnveloped(xmlOf({ nameId: 'nobody@x.example' }), idp.key)
    const signature = /<ds:Signature.*<\/ds:Signature>/.exec(signed)?.[0] ?? ''
    return post(
      xmlOf().replace(
        '</saml:Issuer>',
        `</saml:Issuer>${signature}<samlp:Extensions>${signed}</samlp:Extensions>`,
      ),
    )
  },
  'a name beside the signature that covers it': async () =>
    post(
      signEnveloped(xmlOf({ nameId: `x${ada.nameId}` }), idp.key).replace(
        />x(?=[^<]*<\/saml:NameID)/,
        '>',
      ),
    ),
}

describe('an invalid logout message', () => {
  test('400: each gets the same page, byte for byte, and ends no session', async () => {
    const pages = new Set<string>()
    for (const [name, send] of Object.entries(bad)) {
      const response = await send()
      expect(response.statusCode, name).toBe(400)
      expect(response.headers['content-type'], name).toBe('text/html; charset=utf-8')
      expect(response.headers['set-cookie'], name).toBeUndefined()
      expect(response.headers['refresh'], name).toBeUndefined()
      pages.add(response.body)
    }
    expect(pages.size).toBe(1)
    expect([...pages][0]).toContain('href="/login"')
    expect([...pages][0]).not.toContain('<script')
    expect(await isAlive(harness, ada.cookie)).toBe(true)
  }, 120_000)

  test('400: another organization’s provider cannot end a session', async () => {
    const rival = await provider(harness)
    const xml = requestXml(harness, rival, ada)
    expect((await byRedirect(harness, rival, { kind, xml })).statusCode).toBe(303)
    const asOther = await byRedirect(harness, rival, { kind, xml: xmlOf() })
    expect(asOther.statusCode).toBe(400)
    expect(await isAlive(harness, ada.cookie)).toBe(true)
  })

  test('400: a message of a disabled provider', async () => {
    const off = await provider(harness, { enabled: false })
    const bob = await signedIn(harness, off)
    const response = await byRedirect(harness, off, { kind, xml: requestXml(harness, off, bob) })
    expect(response.statusCode).toBe(400)
  })

  test('400: a replay to another process and over another binding', async () => {
    const own = await provider(harness)
    const bob = await signedIn(harness, own)
    const second = await createSecondApp(harness)
    try {
      const xml = requestXml(harness, own, bob)
      expect((await byRedirect(harness, own, { kind, xml })).statusCode).toBe(303)
      expect((await byPost(harness, own, { kind, xml })).statusCode).toBe(400)
      const elsewhere = { ...harness, app: second.app }
      expect((await byRedirect(elsewhere, own, { kind, xml })).statusCode).toBe(400)
    } finally {
      await second.close()
    }
  })

  test('413 and 415: answered with a page', async () => {
    const large = await postForm(harness, `SAMLRequest=${'A'.repeat(600_000)}`)
    const json = await harness.app.inject({
      method: 'POST',
      url: '/api/auth/saml/slo',
      payload: { SAMLRequest: 'x' },
    })
    expect([large.statusCode, json.statusCode]).toEqual([413, 415])
    for (const { headers } of [large, json]) expect(headers['content-type']).toMatch(/^text\/html/)
  })

  test('the audit log of the named organization has the reason, also for unsigned and SHA-1 messages', async () => {
    const own = await provider(harness)
    const xml = requestXml(harness, own, { nameId: 'x' })
    const query = redirectUrl({ kind, xml, destination: '' }, own.key.privateKey).slice(1)
    const sent = {
      signature_missing: query.replace(/&SigAlg=.*/, ''),
      signature_algorithm: query.replace('rsa-sha256', 'rsa-sha1'),
      // Whole base64: to overwrite single characters could cut an escape in two.
      signature_invalid: query.replace(/Signature=.*/, `Signature=${'AAAA'.repeat(85)}AA%3D%3D`),
    }
    for (const bad of Object.values(sent)) expect((await get(bad)).statusCode).toBe(400)
    const told = (await auditOf(harness, own, 'saml.logout_refused')).map(
      ({ detail }) => detail.reason,
    )
    expect(new Set(told)).toEqual(new Set(Object.keys(sent)))
    const traced = await harness.deps.store.tenant(own.org.id, async (tenant) =>
      unwrap(tenant)
        .db('saml_traces')
        .where({ organizationId: own.org.id, kind: 'logout' })
        .pluck('cause'),
    )
    expect(new Set(traced)).toEqual(new Set(Object.keys(sent)))
  })

  test('many refusals write one audit entry per reason and minute', async () => {
    const own = await provider(harness)
    const xml = requestXml(harness, own, { nameId: 'x' })
    await Promise.all(
      Array.from({ length: 20 }, async () => byRedirect(harness, own, { kind, xml, key: idp.key })),
    )
    const entries = await harness.deps.store.tenant(own.org.id, async (tenant) =>
      unwrap(tenant)
        .db('audit_entries')
        .where({ organizationId: own.org.id, event: 'saml.logout_refused' }),
    )
    expect(entries.length).toBeLessThanOrEqual(2)
    expect(entries[0]).toMatchObject({ outcome: 'denied', detail: { reason: 'signature_invalid' } })
  })
})

describe('messages that node-saml alone accepts', () => {
  const library = () =>
    new SAML({
      issuer: 'sp',
      callbackUrl: 'https://sp.example/acs',
      entryPoint: 'https://idp.example/sso',
      logoutUrl: 'https://idp.example/slo',
      idpCert: idp.key.certificate,
    })
  const taken = async (query: string) => {
    const container = Object.fromEntries(new URLSearchParams(query))
    return (await library().validateRedirectAsync(container, query)).loggedOut
  }

  test('unsigned, SHA-1, MD5, another destination, replays: the service refuses all of them (above)', async () => {
    const elsewhere = xmlOf({ destination: 'https://elsewhere.example/slo' })
    const queries = [
      `SAMLRequest=${deflated(xmlOf())}`,
      signedBy('sha1', `${dsig}rsa-sha1`),
      signedBy('md5', 'http://www.w3.org/2001/04/xmldsig-more#rsa-md5'),
      queryOf(elsewhere),
      queryOf(elsewhere),
    ]
    for (const query of queries) expect(await taken(query)).toBe(true)
  })

  test('a partial logout as a complete one', async () => {
    const xml = responseXml(harness, idp, { inResponseTo: '_any', outcome: 'partial' })
    expect(await taken(`SAMLResponse=${deflated(xml)}`)).toBe(true)
  })
})

test('405: PUT gets the usual error with the allowed methods', async () => {
  const url = new URL(addressOfSlo(harness)).pathname
  const refused = await harness.app.inject({ method: 'PUT', url })
  expect(refused.statusCode).toBe(405)
  expect(refused.headers.allow).toContain('POST')
})
