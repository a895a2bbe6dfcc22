import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { createSamlOrganization } from '../../harness/saml-organization.ts'
import { logIn, password, person } from '../sign-in/people.ts'

const origin = 'https://control.test'
let harness: Harness
let plain: Harness
beforeAll(async () => {
  harness = await createHarness({ env: { CC_BASE_URL: origin } })
  plain = await createHarness()
})
afterAll(async () => {
  await harness.close()
  await plain.close()
})

const year = 'max-age=31536000'
const raw = async (of: Harness, text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(of.config.port, '127.0.0.1', () => socket.write(text))
    let answer = ''
    socket.on('data', (chunk) => (answer += chunk.toString()))
    socket.on('close', () => resolve(answer))
    socket.on('error', reject)
  })

test('every answer has Strict-Transport-Security, with any status', async () => {
  const asked = [
    ['GET', '/healthz'],
    ['GET', '/api/auth/me'],
    ['GET', '/api/nowhere'],
    ['TRACE', '/api/auth/me'],
    ['GET', '/login'],
    ['GET', '/docs'],
    ['GET', '/api/openapi.json'],
    ['POST', '/api/auth/saml/acs'],
    ['GET', '/api/scim/v2/Users'],
    ['DELETE', '/api/admin/organizations'],
    ['GET', `/api/${'x'.repeat(9_000)}`],
    ['GET', '/%'],
  ] as const
  for (const [method, url] of asked) {
    const answer = await harness.app.inject({ method: method as 'GET', url })
    expect([url.slice(0, 30), answer.headers['strict-transport-security']]).toEqual([
      url.slice(0, 30),
      year,
    ])
    const other = await plain.app.inject({ method: method as 'GET', url })
    expect(other.headers['strict-transport-security']).toBeUndefined()
  }
  expect(await raw(harness, 'NONSENSE\r\n\r\n')).toContain(`strict-transport-security: ${year}`)
  expect(await raw(plain, 'NONSENSE\r\n\r\n')).not.toContain('strict-transport')
})

test('the session cookie has the __Host- prefix, and one without it is refused', async () => {
  const { email } = await person(harness)
  const answer = await logIn(harness.app, { email, password }, { origin })
  const [cookie] = answer.cookies
  expect(cookie).toMatchObject({
    name: '__Host-cc_session',
    path: '/',
    secure: true,
    httpOnly: true,
  })
  expect(cookie?.domain).toBeUndefined()
  expect(String(answer.headers['set-cookie'])).not.toMatch(/domain/i)
  const me = async (name: string) =>
    harness.app.inject({ url: '/api/auth/me', headers: { cookie: `${name}=${cookie?.value}` } })
  expect((await me('__Host-cc_session')).statusCode).toBe(200)
  expect((await me('cc_session')).statusCode).toBe(401)
})

test('signing out deletes the cookie with a header that browsers accept', async () => {
  const { email } = await person(harness)
  const [cookie] = (await logIn(harness.app, { email, password }, { origin })).cookies
  const headers = { cookie: `__Host-cc_session=${cookie?.value}`, origin }
  const answer = await harness.app.inject({ method: 'POST', url: '/api/auth/logout', headers })
  expect(answer.cookies).toMatchObject([
    { name: '__Host-cc_session', value: '', path: '/', secure: true },
  ])
  expect((await harness.app.inject({ url: '/api/auth/me', headers })).statusCode).toBe(401)
})

test('single sign-on: its cookie has the __Host- prefix too, and is deleted', async () => {
  const saml = await createSamlOrganization(harness)
  const begun = await saml.begin()
  expect(begun.cookie).toMatch(/^__Host-cc_saml_/)
  const email = `ada@${saml.domain}`
  const answer = await saml.signIn({ nameId: email, attributes: { email } })
  expect(answer.statusCode).toBe(303)
  const byName = Object.fromEntries(answer.cookies.map((one) => [one.name.slice(0, 15), one]))
  expect(byName['__Host-cc_saml_']).toMatchObject({ value: '', path: '/', secure: true })
  expect(byName['__Host-cc_sessi']).toMatchObject({ path: '/', secure: true })
  expect(answer.headers['strict-transport-security']).toBe(year)
})

test('over plain http the cookies have no prefix', async () => {
  const { email } = await person(plain)
  const [cookie] = (await logIn(plain.app, { email, password })).cookies
  expect([cookie?.name, cookie?.secure]).toEqual(['cc_session', undefined])
})
