import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { createSecondApp, type SecondApp } from '../../harness/second-app.ts'
import { codeOf, logIn, password, person, personWithCode, send } from './people.ts'

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

const me = async (cookie: string, app = other.app) =>
  (await app.inject({ url: '/api/auth/me', headers: { cookie: `cc_session=${cookie}` } }))
    .statusCode
const cookieFrom = (answer: { cookies: Array<{ name: string; value: string }> }) =>
  answer.cookies.find(({ name }) => name === 'cc_session')?.value ?? ''

describe('whether there is a session', () => {
  const signedIn = async (headers: Record<string, string> = {}) => {
    const answer = await other.app.inject({ url: '/api/auth/signed-in', headers })
    expect(answer.statusCode).toBe(200)
    return answer.json()
  }

  test('200: signed out, with a cookie of nobody, with a session, and after its end', async () => {
    const { user, email } = await person(harness)
    expect(await signedIn()).toEqual({ signedIn: false })
    expect(await signedIn({ cookie: 'cc_session=nobody' })).toEqual({ signedIn: false })
    const second = cookieFrom(await logIn(other.app, { email, password }))
    expect(await signedIn({ cookie: `cc_session=${second}` })).toEqual({ signedIn: true })
    const [newest] = (await user.get('/api/auth/sessions')).json().sessions
    expect((await user.delete(`/api/auth/sessions/${newest.id}`)).statusCode).toBe(200)
    expect(await signedIn({ cookie: `cc_session=${second}` })).toEqual({ signedIn: false })
  })

  test('an API token is no session', async () => {
    const { user } = await person(harness)
    const made = await user.post('/api/auth/tokens', {
      name: 't',
      role: 'Viewer',
      expiresInDays: 1,
    })
    const { token } = made.json()
    expect(await signedIn({ authorization: `Bearer ${token}` })).toEqual({ signedIn: false })
    expect(await signedIn({ cookie: `cc_session=${token}` })).toEqual({ signedIn: false })
  })
})

describe('sessions', () => {
  test('200: lists the caller’s sessions, newest first, marks the current one, and shows no secret', async () => {
    const { user, email } = await person(harness)
    const second = cookieFrom(await logIn(other.app, { email, password }))
    const answer = await other.call(user, 'GET', { url: '/api/auth/sessions' })
    const { sessions } = answer.json()
    expect(sessions.map(({ current }: { current: boolean }) => current)).toEqual([false, true])
    expect(answer.body).not.toContain(second)
    await person(harness)
    expect(sessions).toHaveLength(2)
  })

  test('200: an ended session is refused at once in the other process; 404: another user’s session', async () => {
    const { org, user, email } = await person(harness)
    const second = cookieFrom(await logIn(other.app, { email, password }))
    const [newest] = (await user.get('/api/auth/sessions')).json().sessions
    const admin = await org.user('Owner')
    const url = `/api/auth/sessions/${newest.id}`
    expect((await admin.delete(url)).statusCode).toBe(404)
    expect(await me(second)).toBe(200)
    expect((await user.delete(url)).statusCode).toBe(200)
    expect(await me(second)).toBe(401)
    expect((await user.delete(url)).statusCode).toBe(404)
    expect(await me(user.cookie)).toBe(200)
  })

  test('session fixation: sign-in never adopts a cookie that was set before', async () => {
    const victim = await personWithCode(harness)
    const attacker = await person(harness)
    const planted = 'A'.repeat(43)
    for (const cookie of [planted, attacker.user.cookie]) {
      const headers = { cookie: `cc_session=${cookie}` }
      const first = await logIn(harness.app, { email: victim.email, password }, headers)
      expect(first.headers['set-cookie']).toBeUndefined()
      const code = victim.recoveryCodes.pop()
      const { mfaToken } = first.json()
      const second = await send(other.app, '/api/auth/mfa/verify', { mfaToken, code }, headers)
      expect(second.statusCode, second.body).toBe(200)
      expect(cookieFrom(second)).toMatch(/^[\w-]{43}$/)
      expect(cookieFrom(second)).not.toBe(cookie)
    }
    expect(await me(planted)).toBe(401)
    const headers = { cookie: `cc_session=${attacker.user.cookie}` }
    const still = await other.app.inject({ url: '/api/auth/me', headers })
    expect(still.json().user.email).toBe(attacker.email)
  })
})

describe('POST /api/auth/password', () => {
  const url = '/api/auth/password'
  const next = 'a wholly different sentence'

  test('200: all other sessions end in both processes, and the current one stays', async () => {
    const { user, email } = await person(harness)
    const second = cookieFrom(await logIn(other.app, { email, password }))
    const body = { current: password, password: next }
    expect((await user.post(url, body)).statusCode).toBe(200)
    expect([await me(second), await me(user.cookie)]).toEqual([401, 200])
    expect((await logIn(other.app, { email, password })).statusCode).toBe(401)
    expect((await logIn(other.app, { email, password: next })).statusCode).toBe(200)
  })

  test('429: of fifty concurrent wrong passwords in two processes five are checked; sign-in is locked too', async () => {
    const { user, email } = await person(harness)
    const body = { current: 'wrong wrong wrong', password: next }
    const tries = await Promise.all(
      Array.from({ length: 50 }, async (_, n) =>
        n % 2 ? user.post(url, body) : other.call(user, 'POST', { url, body }),
      ),
    )
    expect(tries.filter(({ statusCode }) => statusCode === 403)).toHaveLength(5)
    expect((await user.post(url, { current: password, password: next })).statusCode).toBe(429)
    expect((await logIn(other.app, { email, password })).statusCode).toBe(429)
  })

  test('200 once: two concurrent changes in two processes', async () => {
    const { user } = await person(harness)
    const body = (n: number) => ({ current: password, password: `${next} ${n}` })
    const both = await Promise.all([
      user.post(url, body(1)),
      other.call(user, 'POST', { url, body: body(2) }),
    ])
    expect(both.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([200, 403])
  })
})

describe('the lock of sign-in', () => {
  test.each(['somebody', 'nobody'])(
    '429: of fifty tries on %s at once in two processes five are checked; it outlives a restart',
    async (who) => {
      const email = who === 'nobody' ? 'no-one@nowhere.example' : (await person(harness)).email
      const tries = await Promise.all(
        Array.from({ length: 50 }, async (_, n) =>
          logIn(n % 2 ? harness.app : other.app, {
            email: n % 3 ? email : email.toUpperCase(),
            password: 'wrong wrong wrong',
          }),
        ),
      )
      expect(tries.filter(({ statusCode }) => statusCode === 401)).toHaveLength(5)
      const restarted = await createSecondApp(harness)
      const right = await logIn(restarted.app, { email, password })
      expect([right.statusCode, right.json().code]).toEqual([429, 'locked'])
      expect(Number(right.headers['retry-after'])).toBeGreaterThan(800)
      expect(Number(right.headers['retry-after'])).toBeLessThanOrEqual(900)
      await restarted.close()
    },
  )

  test('429: the lock of codes survives a restart, and applies to a new token too', async () => {
    const { email, secret } = await personWithCode(harness)
    const token = async () => (await logIn(other.app, { email, password })).json().mfaToken
    const verify = async (app: Harness['app'], code: string) =>
      send(app, '/api/auth/mfa/verify', { mfaToken: await token(), code })
    for (let n = 0; n < 5; n += 1)
      await verify(n % 2 ? harness.app : other.app, codeOf(secret, 40 + n))
    const restarted = await createSecondApp(harness)
    expect((await verify(restarted.app, codeOf(secret))).statusCode).toBe(429)
    await restarted.close()
  })
})

test('a token’s power follows its owner’s role at once, in the other process', async () => {
  const org = await harness.organization()
  const [owner, user] = [await org.user('Owner'), await org.user('Org Admin')]
  const headers = { authorization: `Bearer ${await user.token('Org Admin')}` }
  const roleIn = async (app: Harness['app']) =>
    (await app.inject({ url: '/api/auth/me', headers })).json().user?.role
  expect(await roleIn(other.app)).toBe('Org Admin')
  await owner.patch(`/api/org/users/${user.id}`, { role: 'Viewer' })
  expect(await roleIn(other.app)).toBe('Viewer')
  await other.call(owner, 'PATCH', { url: `/api/org/users/${user.id}`, body: { active: false } })
  expect(await roleIn(harness.app)).toBeUndefined()
})
