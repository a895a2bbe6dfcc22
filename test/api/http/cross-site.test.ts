import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { createSecondApp, type SecondApp } from '../../harness/second-app.ts'
import { logIn, password, person, send } from '../sign-in/people.ts'
import { addressOf, callRoute, cookieOf } from '../access/call-route.ts'

let harness: Harness
let other: SecondApp
beforeAll(async () => {
  harness = await createHarness()
  other = await createSecondApp(harness)
})
afterAll(async () => {
  await other.close()
  await harness.close()
})

const foreign: Array<Record<string, string>> = [
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { origin: '' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
]

test('403: each route with an effect refuses a cookie from another site, in both processes', async () => {
  const org = await harness.organization()
  const admin = await org.user('Owner', { platformAdmin: true })
  const routes = harness.app
    .routeTable()
    // SCIM and agents have no cookie of any site.
    .filter(({ access }) => !['public', 'scim', 'agent', 'join'].includes(access))
    .filter(({ method }) => method !== 'GET')
  expect(routes.length).toBeGreaterThan(30)
  for (const route of routes)
    for (const [at, headers] of foreign.entries()) {
      const { app } = at % 2 ? harness : other
      const { cookie } = cookieOf(admin.cookie)
      const answer = await callRoute(app, route, {
        address: addressOf(route),
        headers: { ...headers, cookie: cookie ?? '' },
        body: route.hasBody ? {} : undefined,
      })
      expect([answer.statusCode, answer.json().code], `${route.method} ${route.url}`).toEqual([
        403,
        'cross_site',
      ])
    }
  expect((await admin.get('/api/auth/me')).statusCode).toBe(200)
})

test('403: another site cannot sign a browser in to the attacker’s account (login CSRF)', async () => {
  const { email } = await person(harness)
  const places = ['/api/auth/login', '/api/auth/mfa/verify', '/api/auth/invitations/accept']
  for (const url of places)
    for (const headers of foreign) {
      const answer = await send(other.app, url, { email, password }, headers)
      expect([answer.statusCode, answer.json().code], url).toEqual([403, 'cross_site'])
      expect(answer.headers['set-cookie']).toBeUndefined()
    }
  for (const headers of [{}, { origin: harness.config.baseUrl }, { 'sec-fetch-site': 'none' }])
    expect((await logIn(harness.app, { email, password }, headers)).statusCode).toBe(200)
})

test('415: public routes refuse the content types that a form of another site can send', async () => {
  for (const url of ['/api/auth/login', '/api/auth/password/forgot', '/api/auth/mfa/verify'])
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      const answer = await other.app.inject({
        method: 'POST',
        url,
        headers: { 'content-type': type },
        payload: '{"email":"a@b.example","password":"correct horse battery staple"}',
      })
      expect(answer.statusCode, `${url} ${type}`).toBe(415)
    }
})

test('413: a body that is too large is refused before it is read, with or without a session', async () => {
  const payload = JSON.stringify({ email: 'a@b.example', password: 'x'.repeat(1_100_000) })
  const answer = await other.app.inject({
    method: 'POST',
    url: '/api/auth/login',
    headers: { 'content-type': 'application/json' },
    payload,
  })
  expect([answer.statusCode, answer.json().code]).toEqual([413, 'body_too_large'])
})
