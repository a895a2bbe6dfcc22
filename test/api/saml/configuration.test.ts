import { X509Certificate } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import {
  createIdentityProvider,
  makeKey,
  type IdentityProvider,
} from '../../harness/identity-provider.ts'
import { begunOf, createSamlOrganization, postResponse } from '../../harness/saml-organization.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'

let harness: Harness
let idp: IdentityProvider
let org: TestOrganization
let admin: TestUser
beforeAll(async () => {
  // Two organizations claim one domain below, which they cannot prove.
  harness = await createHarness({ env: { CC_DOMAIN_PROOF: 'none' } })
  idp = await createIdentityProvider()
  org = await harness.organization()
  admin = await org.user('Org Admin')
})
afterAll(async () => harness.close())

const save = async (body: object, by = admin) => by.post('/api/org/saml', body)
const fields = () => ({
  idpEntityId: idp.entityId,
  ssoUrl: idp.ssoUrl,
  certificate: idp.certificate,
})
const shown = async (by = admin) => (await by.get('/api/org/saml')).json().saml

test('200: null at first; saved by fields, then by metadata, disabled at first', async () => {
  expect(await shown()).toBeNull()
  const answer = await save({ ...fields(), sloUrl: idp.sloUrl, attrGroups: ' groups ' })
  expect(answer.statusCode).toBe(200)
  const { saml } = answer.json()
  const base = harness.config.baseUrl
  expect(saml).toMatchObject({
    idpEntityId: idp.entityId,
    ssoUrl: idp.ssoUrl,
    sloUrl: idp.sloUrl,
    certificateSet: true,
    defaultRole: 'Viewer',
    emailDomains: [],
    attrGroups: 'groups',
    enabled: false,
    sloReady: true,
    warnings: [],
    spSloUrl: `${base}/api/auth/saml/slo`,
    spMetadataUrl: `${base}/api/auth/saml/metadata?org=${org.slug}`,
  })
  expect(answer.body).not.toContain(new X509Certificate(idp.certificate).raw.toString('base64'))
  const key = new X509Certificate(saml.spCertificate)
  expect(key.publicKey.asymmetricKeyDetails?.modulusLength).toBe(3_072)
  expect(key.verify(key.publicKey)).toBe(true)

  const again = (await save({ metadataXml: idp.metadata() })).json().saml
  expect(again).toMatchObject({ sloUrl: idp.sloUrl, attrGroups: 'groups', enabled: false })
  // A save does not rotate the key.
  expect(again.spCertificate).toBe(saml.spCertificate)
  expect((await admin.get('/api/org/sso')).json().saml.idpEntityId).toBe(idp.entityId)
})

test('200: a missing field stays, null clears it, and no answer contains the private key', async () => {
  await save({ ...fields(), attrEmail: 'mail', attrName: 'cn', defaultRole: 'Deployer' })
  await save({ idpEntityId: idp.entityId, attrName: null, sloUrl: null, attrEmail: '' })
  expect(await shown()).toMatchObject({
    attrEmail: null,
    attrName: null,
    sloUrl: null,
    sloReady: false,
    defaultRole: 'Deployer',
    ssoUrl: idp.ssoUrl,
    certificateSet: true,
  })
  const { entries } = (await admin.get('/api/audit?event=saml.configured')).json()
  expect(entries[0].detail.attrName).toEqual({ from: 'cn', to: null })
  const row = await harness.deps.store
    .platform('saml_sp_keys')
    .where({ organizationId: org.id })
    .first()
  expect(row.privateKey.toString('latin1')).not.toContain('PRIVATE KEY')
  expect(harness.logged() + JSON.stringify(entries)).not.toContain('PRIVATE KEY')
})

test('200: two first saves at once keep one key', async () => {
  const other = await harness.organization()
  const both = await Promise.all([
    save(fields(), await other.user('Owner')),
    save(fields(), await other.user('Owner')),
  ])
  expect(both.map(({ statusCode }) => statusCode)).toEqual([200, 200])
  const [a, b] = both.map((answer) => answer.json().saml.spCertificate)
  expect(a).toBe(b)
})

describe('400: the error names the field and the reason', () => {
  const cases: Array<[string, () => object | Promise<object>, string, RegExp]> = [
    ['nothing', () => ({}), 'idpEntityId', /required/],
    ['http', () => ({ ...fields(), ssoUrl: 'http://idp.example' }), 'ssoUrl', /https/],
    ['a script', () => ({ ...fields(), ssoUrl: 'javascript:alert(1)' }), 'ssoUrl', /https/],
    ['credentials', () => ({ ...fields(), ssoUrl: 'https://a:b@x.test' }), 'ssoUrl', /password/],
    ['markup', () => ({ ...fields(), ssoUrl: 'https://x.test/"><script>' }), 'ssoUrl', /markup/],
    ['a quote', () => ({ ...fields(), sloUrl: "https://x.test/'" }), 'sloUrl', /markup/],
    [
      'another script',
      () => ({ ...fields(), ssoUrl: 'https://b\u00fccher.test/' }),
      'ssoUrl',
      /ASCII/,
    ],
    ['an entity', () => ({ ...fields(), idpEntityId: '<b>x</b>' }), 'idpEntityId', /no URI has/],
    [
      'markup in metadata',
      () => ({ metadataXml: idp.metadata().replaceAll('/sso"', '/sso&quot;&gt;&lt;b&gt;"') }),
      'metadataXml',
      /SingleSignOnService has characters/,
    ],
    [
      'markup in the logout of metadata',
      () => ({ metadataXml: idp.metadata().replaceAll('/slo"', '/slo&apos;"') }),
      'metadataXml',
      /SingleLogoutService has characters/,
    ],
    [
      'markup in where answers go',
      () => ({ metadataXml: idp.metadata().replaceAll('/slo/response"', '/&lt;i&gt;"') }),
      'metadataXml',
      /ResponseLocation has characters/,
    ],
    [
      'an entity ID of markup in metadata',
      () => ({ metadataXml: idp.metadata().replace('entityID="', 'entityID="&lt;i&gt;') }),
      'metadataXml',
      /entityID has white space/,
    ],
    ['no URL', () => ({ ...fields(), sloUrl: 'nowhere' }), 'sloUrl', /not a URL/],
    ['garbage', () => ({ ...fields(), certificate: 'AAAA' }), 'certificate', /X\.509/],
    ['text', () => ({ ...fields(), certificate: 'my certificate!' }), 'certificate', /PEM/],
    ['a key', () => ({ ...fields(), certificate: idp.privateKey }), 'certificate', /private key/],
    [
      'a short key',
      async () => ({ ...fields(), certificate: (await makeKey({ bits: 1_024 })).certificate }),
      'certificate',
      /1024 bits/,
    ],
    ['an Owner', () => ({ ...fields(), defaultRole: 'Owner' }), 'defaultRole', /Org Admin/],
    ['a role', () => ({ ...fields(), defaultRole: 'King' }), 'defaultRole', /./],
    ['gmail', () => ({ ...fields(), emailDomains: ['GMail.com'] }), 'emailDomains.0', /public/],
    ['no domain', () => ({ ...fields(), emailDomains: ['a b'] }), 'emailDomains.0', /not a domain/],
    ['no XML', () => ({ metadataXml: 'nothing' }), 'metadataXml', /XML/],
    [
      'entities',
      () => ({ metadataXml: `<!DOCTYPE x [<!ENTITY y "z">]>${idp.metadata().slice(21)}` }),
      'metadataXml',
      /document type/,
    ],
    [
      'a federation',
      () => ({ metadataXml: `<a>${'<b/>'.repeat(8_000)}</a>` }),
      'metadataXml',
      /more than 8,000 elements/,
    ],
    [
      'two providers',
      () => {
        const one = idp.metadata().slice('<?xml version="1.0"?>'.length)
        const root = `<md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata">`
        return { metadataXml: `${root}${one}${one}</md:EntitiesDescriptor>` }
      },
      'metadataXml',
      /2 EntityDescriptors/,
    ],
    [
      'a service provider',
      () => ({ metadataXml: idp.metadata().replaceAll('IDPSSO', 'SPSSO') }),
      'metadataXml',
      /service provider/,
    ],
    [
      'plain http in metadata',
      () => ({ metadataXml: idp.metadata().replaceAll('Location="https:', 'Location="http:') }),
      'metadataXml',
      /SingleSignOnService must be https/,
    ],
  ]
  test.each(cases)('%s', async (_, make, path, message) => {
    const answer = await save(await make())
    expect(answer.statusCode, answer.body).toBe(400)
    const { details } = answer.json()
    const detail = details.find((one: { path: string }) => one.path === path)
    expect(detail?.message).toMatch(message)
  })

  test('enabling without a certificate; 404 without a configuration', async () => {
    const other = await harness.organization()
    const owner = await other.user('Owner')
    expect((await owner.patch('/api/org/saml', { enabled: true })).statusCode).toBe(404)
    await save({ idpEntityId: 'urn:x', ssoUrl: idp.ssoUrl }, owner)
    expect(await shown(owner)).toMatchObject({
      certificateSet: false,
      warnings: [{ code: 'certificate_missing' }],
    })
    expect((await owner.patch('/api/org/saml', { enabled: true })).statusCode).toBe(400)
  })
})

test('403: a Viewer, an SRE, and a token of an Owner', async () => {
  for (const role of ['Viewer', 'SRE · Cloud Admin'] as const)
    expect((await save(fields(), await org.user(role))).statusCode).toBe(403)
  const token = await (await org.user('Owner')).token()
  const answer = await harness.app.inject({
    method: 'POST',
    url: '/api/org/saml',
    headers: { authorization: `Bearer ${token}` },
    payload: fields(),
  })
  expect([answer.statusCode, answer.json().code]).toEqual([403, 'session_required'])
})

test('200: an expired certificate, and one that expires soon, is saved with a warning', async () => {
  const day = 24 * 3_600_000
  const of = async (from: number, until: number) =>
    (
      await makeKey({
        validFrom: new Date(Date.now() + from * day),
        validUntil: new Date(Date.now() + until * day),
      })
    ).certificate
  const certificate = (await of(-10, -1)) + (await of(-1, 20)) + (await of(-1, 40))
  const { saml } = (await save({ idpEntityId: idp.entityId, certificate })).json()
  expect(saml.certificates.map(({ state }: { state: string }) => state)).toEqual([
    'valid',
    'expiring',
    'expired',
  ])
  expect(saml.warnings.map(({ code }: { code: string }) => code)).toEqual([
    'certificate_expiring',
    'certificate_expired',
  ])
})

test('the first of two claimants of an unproved domain keeps it, and neither learns of the other', async () => {
  const first = await createSamlOrganization(harness)
  const second = await createSamlOrganization(harness, { emailDomains: [first.domain] })
  const answer = await harness.app.inject({
    method: 'POST',
    url: '/api/auth/saml/login',
    payload: { email: `a@${first.domain}` },
  })
  expect(answer.json().redirectUrl).toContain(first.idp.ssoUrl)
  // A proved claim takes precedence.
  await harness.deps.store
    .platform('domain_claims')
    .where({ organizationId: second.org.id })
    .update({ provedAt: new Date() })
  const now = await harness.app.inject({
    method: 'POST',
    url: '/api/auth/saml/login',
    payload: { email: `a@${first.domain}` },
  })
  expect(now.json().redirectUrl).toContain(second.idp.ssoUrl)
})

test('a test sign-in works while disabled, changes nothing, and reports its result', async () => {
  const own = await createSamlOrganization(harness, {}, { enabled: false })
  const before = await own.admin.get('/api/org/users')
  const begun = begunOf(harness, own.org.slug, await own.admin.post('/api/org/saml/test'))
  const email = `new@${own.domain}`
  const xml = own.idp.response(begun, { nameId: email, attributes: { email } })
  const answer = await postResponse(harness, begun, xml)
  expect([answer.statusCode, answer.headers.location]).toEqual([
    303,
    '/organization/sso?tested=true',
  ])
  expect(answer.cookies.some(({ name }) => name === 'cc_session')).toBe(false)
  expect((await own.admin.get('/api/org/users')).body).toBe(before.body)
  expect((await own.admin.get('/api/org/saml/traces')).json().traces).toMatchObject([
    {
      kind: 'test',
      outcome: 'success',
      step: 'would_sign_in',
      detail: { mapped: { email, user: 'new', role: 'Viewer' } },
    },
  ])
  expect((await postResponse(harness, begun, xml)).statusCode).toBe(400)
})
