import { inflateRawSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifyRedirect, readRedirect } from '../../../domain/saml/redirect-binding.ts'
import { organizations } from '../../../store/platform/organizations.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import {
  createSamlOrganization,
  meOf,
  postResponse,
  sessionOf,
  type SamlOrganization,
} from '../../harness/saml-organization.ts'

let harness: Harness
let saml: SamlOrganization
beforeAll(async () => {
  // The tests sign in by address too, with domains that they cannot prove.
  harness = await createHarness({ env: { CC_DOMAIN_PROOF: 'none' } })
  saml = await createSamlOrganization(harness)
})
afterAll(async () => harness.close())

let people = 0
const someone = (of = saml) => `p${(people += 1)}@${of.domain}`
const as = (email: string, more: Record<string, string[]> = {}) => ({
  nameId: email,
  attributes: { email: [email], ...more },
})
const login = async (payload: object) =>
  harness.app.inject({ method: 'POST', url: '/api/auth/saml/login', payload })

test('200: the request is signed, names the service, and requests no authentication method', async () => {
  const { redirectUrl, requestId, audience, acsUrl } = await saml.begin()
  const url = new URL(redirectUrl)
  expect(redirectUrl.startsWith(`${saml.idp.ssoUrl}?SAMLRequest=`)).toBe(true)
  const xml = inflateRawSync(
    Buffer.from(url.searchParams.get('SAMLRequest') ?? '', 'base64'),
  ).toString()
  for (const part of [requestId, audience.replaceAll('&', '&amp;'), acsUrl, saml.idp.ssoUrl])
    expect(xml).toContain(part)
  expect(xml).not.toContain('RequestedAuthnContext')
  const { saml: shown } = (await saml.admin.get('/api/org/saml')).json()
  expect(verifyRedirect(readRedirect(url.search.slice(1)), [shown.spCertificate])).toBeTruthy()
})

test('200: by address in any case; the same 404 for unknown addresses, unknown slugs and disabled providers', async () => {
  const off = await createSamlOrganization(harness, {}, { enabled: false })
  expect((await login({ email: `ANY.one@${saml.domain.toUpperCase()}` })).statusCode).toBe(200)
  const refusals = await Promise.all(
    [
      { email: 'a@nobody.test' },
      { slug: 'nobody-at-all' },
      { slug: off.org.slug },
      { email: `a@${off.domain}` },
      { email: 'no address' },
    ].map(login),
  )
  expect(new Set(refusals.map(({ statusCode, body }) => `${statusCode} ${body}`)).size).toBe(1)
  expect(refusals[0]?.statusCode).toBe(404)
  expect((await login({})).statusCode).toBe(400)
})

test('303: a new user is created with the role of their groups or the default role', async () => {
  await saml.admin.post('/api/org/group-mappings', { groupName: 'SRE', role: 'SRE · Cloud Admin' })
  await saml.admin.post('/api/org/group-mappings', { groupName: 'dev', role: 'Deployer' })
  const email = someone()
  const answer = await saml.signIn(as(email, { groups: ['Dev', ' sre '] }))
  expect([answer.statusCode, answer.headers.location]).toEqual([303, '/'])
  expect(await meOf(harness, answer)).toMatchObject({
    user: { email, role: 'SRE · Cloud Admin' },
    organization: { slug: saml.org.slug },
  })
  // The role goes down again, and to the default once no group is mapped.
  expect((await meOf(harness, await saml.signIn(as(email, { groups: ['dev'] })))).user.role).toBe(
    'Deployer',
  )
  expect((await meOf(harness, await saml.signIn(as(email)))).user.role).toBe('Viewer')
  const { users } = (await saml.admin.get(`/api/org/users?q=${email}`)).json()
  expect(users).toHaveLength(1)
})

test('303: groups in repeated attributes are all read', async () => {
  const email = someone()
  const one = (group: string) =>
    `<saml:Attribute Name="groups" FriendlyName="g"><saml:AttributeValue>${group}</saml:AttributeValue></saml:Attribute>`
  const answer = await saml.signIn({ ...as(email), attributesXml: one('sre') + one('dev') })
  expect((await meOf(harness, answer)).user.role).toBe('SRE · Cloud Admin')
})

test('303: a link instead of too many groups keeps the known groups', async () => {
  const email = someone()
  await saml.signIn(as(email, { groups: ['dev'] }))
  const link = { 'http://schemas.microsoft.com/claims/groups.link': ['https://graph.example/x'] }
  expect((await meOf(harness, await saml.signIn(as(email, link)))).user.role).toBe('Deployer')
})

test('303: a group that loses its mapping leaves the default role', async () => {
  const own = await createSamlOrganization(harness, { defaultRole: 'Deployer' })
  const made = await own.admin.post('/api/org/group-mappings', {
    groupName: 'ops',
    role: 'Org Admin',
  })
  const email = someone(own)
  const answer = await own.signIn(as(email, { groups: ['ops'] }))
  expect((await meOf(harness, answer)).user.role).toBe('Org Admin')
  await own.admin.delete(`/api/org/group-mappings/${made.json().groupMapping.id}`)
  expect((await meOf(harness, answer)).user.role).toBe('Deployer')
})

test('303: the session has the provider’s name and index, its expiry and a role ceiling', async () => {
  const own = await createSamlOrganization(harness, {}, { editor: 'Org Admin' })
  const colleague = await own.org.user('Org Admin')
  const end = new Date(Date.now() + 3_600_000)
  const answer = await own.signIn({
    ...as(colleague.email),
    sessionIndex: 'index-1',
    sessionNotOnOrAfter: end,
  })
  const me = await meOf(harness, answer)
  expect(me.user).toMatchObject({ email: colleague.email, role: 'Org Admin' })
  const session = await harness.deps.store
    .platform('sessions')
    .where({ userId: colleague.id, kind: 'saml' })
    .first()
  expect(session).toMatchObject({
    samlNameId: colleague.email,
    samlSessionIndex: 'index-1',
    roleCeiling: 'Org Admin',
  })
  expect(Math.abs(session.expiresAt.getTime() - end.getTime())).toBeLessThan(2_000)
})

test('303 failed: a deleted user, a deactivated user, and an address of another domain', async () => {
  const refused = async (email: string, of = saml) => {
    const answer = await of.signIn(as(email))
    expect([answer.statusCode, answer.headers.location]).toEqual([303, '/login?sso=failed'])
    expect(sessionOf(answer)).toBeUndefined()
  }
  const inactive = await saml.org.user('Viewer')
  await saml.admin.patch(`/api/org/users/${inactive.id}`, { active: false })
  await refused(inactive.email)
  const gone = await saml.org.user('Viewer')
  await saml.admin.delete(`/api/org/users/${gone.id}`)
  await refused(gone.email)
  await refused('stranger@elsewhere.test')
  await refused(`two@${saml.domain}@${saml.domain}`)
  const { users } = (await saml.admin.get('/api/org/users?q=stranger')).json()
  expect(users).toEqual([])
})

test('303 failed: several addresses or no address', async () => {
  for (const email of [[someone(), someone()], []]) {
    const answer = await saml.signIn({ nameId: 'x', attributes: { email } })
    expect(answer.headers.location).toBe('/login?sso=failed')
  }
})

test('a person of another organization with this address is a separate user', async () => {
  const other = await createSamlOrganization(harness, { emailDomains: [] })
  const theirs = await saml.org.user('Owner')
  const answer = await other.signIn(as(theirs.email))
  const me = await meOf(harness, answer)
  expect(me).toMatchObject({
    user: { role: 'Viewer' },
    organization: { slug: other.org.slug },
  })
  expect(me.user.id).not.toBe(theirs.id)
})

test('403: a suspended organization: only a verified assertion gets this error, once', async () => {
  const own = await createSamlOrganization(harness)
  const begun = await own.begin()
  const xml = own.idp.response(begun, as(someone(own)))
  await organizations(harness.deps.store.platform).setStatus(own.org.id, 'suspended')
  const forged = await postResponse(harness, begun, xml.replace('Success', 'Succes'))
  expect(forged.headers.location).toBe('/login?sso=failed')
  const unsigned = await postResponse(harness, begun, own.idp.response(begun, { sign: 'none' }))
  expect(unsigned.statusCode).toBe(400)
  const answer = await postResponse(harness, begun, xml)
  expect(answer.statusCode).toBe(403)
  expect(answer.headers['content-type']).toMatch('text/html')
  expect(answer.headers['refresh']).toBe('0; url=/login?sso=failed')
  expect((await postResponse(harness, begun, xml)).statusCode).toBe(400)
})

test('303 failed: the provider refused, or the configuration was disabled meanwhile', async () => {
  const own = await createSamlOrganization(harness)
  const failed = await own.signIn({
    sign: 'response',
    assertionXml: ' ',
    status: 'urn:oasis:names:tc:SAML:2.0:status:Responder',
    nestedStatus: 'urn:oasis:names:tc:SAML:2.0:status:AuthnFailed',
  })
  expect(failed.headers.location).toBe('/login?sso=failed')
  const begun = await own.begin()
  await own.admin.patch('/api/org/saml', { enabled: false })
  const answer = await postResponse(harness, begun, own.idp.response(begun, as(someone(own))))
  expect(answer.headers.location).toBe('/login?sso=failed')
  const { traces } = (await own.admin.get('/api/org/saml/traces')).json()
  expect(traces.map(({ cause }: { cause: string }) => cause)).toEqual([
    'not_enabled',
    'status_authn_failed',
  ])
})

test('303: redirects to the requested page, and never to another site', async () => {
  const begin = async (returnTo: string) => login({ slug: saml.org.slug, returnTo })
  expect((await begin('//evil.example')).statusCode).toBe(400)
  const wanted = await saml.begin(undefined, { slug: saml.org.slug, returnTo: '/runs?a=1#b' })
  const post = async (relayState: string | null, begun = wanted) =>
    (await postResponse(harness, begun, saml.idp.response(begun, as(someone())), { relayState }))
      .headers.location
  expect(await post(wanted.relayState)).toBe('/runs?a=1#b')
  expect(await post('/pipelines?x=%2F', await saml.begin())).toBe('/pipelines?x=%2F')
  for (const evil of [
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/%0d%0aset-cookie:x=1',
    'javascript:alert(1)',
    ' /x',
    '/login?sso=failed',
    '',
  ]) {
    const place = (await post(evil, await saml.begin())) ?? ''
    expect(['/', '/%0d%0aset-cookie:x=1'], evil).toContain(place)
  }
  expect(await post(null, await saml.begin())).toBe('/')
})

test('key rotation: both certificates are accepted, then only the new one', async () => {
  const own = await createSamlOrganization(harness)
  const next = await createSamlOrganization(harness)
  const issuer = { issuer: own.idp.entityId, responseIssuer: own.idp.entityId }
  const withNext = async () => {
    const begun = await own.begin()
    const xml = next.idp.response(begun, { ...as(someone(own)), ...issuer })
    return (await postResponse(harness, begun, xml)).statusCode
  }
  const save = async (certificate: string) =>
    own.admin.post('/api/org/saml', { idpEntityId: own.idp.entityId, certificate })
  expect(await withNext()).toBe(400)
  expect((await save(own.idp.certificate + next.idp.certificate)).statusCode).toBe(200)
  expect(await withNext()).toBe(303)
  expect((await own.signIn(as(someone(own)))).statusCode).toBe(303)
  await save(next.idp.certificate)
  expect((await own.signIn(as(someone(own)))).statusCode).toBe(400)
})

test('a response with a thousand groups is read in a separate thread', async () => {
  const groups = Array.from({ length: 1_000 }, (_, n) => `group number ${n} of a large company`)
  const email = someone()
  const answer = await saml.signIn(as(email, { groups: [...groups, 'dev'] }))
  expect((await meOf(harness, answer)).user.role).toBe('Deployer')
  const forged = await saml.signIn({ ...as(email, { groups }), sign: 'none' })
  expect(forged.statusCode).toBe(400)
})

test('a provider with only the POST binding gets a self-submitting form', async () => {
  const own = await createSamlOrganization(harness, {}, { enabled: true })
  const metadataXml = own.idp
    .metadata()
    .replace(/<md:SingleSignOnService Binding="[^"]*Redirect"[^>]*>/, '')
  await own.admin.post('/api/org/saml', { metadataXml })
  const { redirectUrl } = (await login({ slug: own.org.slug })).json()
  const page = await harness.app.inject({ url: redirectUrl.slice(harness.config.baseUrl?.length) })
  expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
  expect(page.body).toContain(`action="${own.idp.ssoUrl}/post"`)
  expect(page.body).toContain('name="SAMLRequest"')
})
