import { unwrap } from '../../../store/driver/tenant.ts'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApp } from '../../../api/app.ts'
import { inPasswordTurn, passwordsAtOnce } from '../../../api/sign-in/password-turns.ts'
import { newSecret } from '../../../domain/access/credentials.ts'
import { passwordTries } from '../../../domain/access/try-subjects.ts'
import { signInTries } from '../../../store/platform/sign-in-tries.ts'
import { hashPassword } from '../../../gateways/passwords/passwords.ts'
import { userTokens } from '../../../store/users/user-tokens.ts'
import { users } from '../../../store/users/users.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(() => harness.close())

const password = 'correct horse battery staple'

async function person() {
  const org = await harness.organization()
  const user = await org.user('Deployer')
  const hash = await hashPassword(password)
  await harness.deps.store.tenant(org.id, async (tenant) =>
    users(tenant).setPassword(user.id, hash),
  )
  return { org, user }
}

const logIn = (payload: object) =>
  harness.app.inject({ method: 'POST', url: '/api/auth/login', payload })

describe('POST /api/auth/login', () => {
  test('200: the password signs in and sets an httpOnly cookie', async () => {
    const { user } = await person()
    const response = await logIn({ email: user.email.toUpperCase(), password })
    expect(response.statusCode).toBe(200)
    expect(response.headers['set-cookie']).toMatch(/^cc_session=.*HttpOnly; SameSite=Lax/)
  })

  test('200: with an https base URL the cookie is Secure', async () => {
    const { user } = await person()
    for (const [baseUrl, secure] of [
      ['https://control.example', true],
      ['http://127.0.0.1:8080', false],
    ] as const) {
      const { deps } = harness
      const app = await createApp({ ...deps, config: { ...deps.config, baseUrl } })
      const payload = { email: user.email, password }
      const answer = await app.inject({ method: 'POST', url: '/api/auth/login', payload })
      await app.close()
      expect(answer.statusCode).toBe(200)
      expect(String(answer.headers['set-cookie']).includes('; Secure')).toBe(secure)
    }
  })

  test('401: a wrong password and an unknown address get the same body', async () => {
    const { user } = await person()
    const wrong = await logIn({ email: user.email, password: 'not the password at all' })
    const unknown = await logIn({ email: 'nobody@nowhere.example', password })
    expect([wrong.statusCode, unknown.statusCode]).toEqual([401, 401])
    expect(wrong.body).toBe(unknown.body)
    expect(wrong.json().code).toBe('invalid_credentials')
  })

  const wrong = 'wrong wrong wrong'
  const atOnce = async (email: string, count: number, sent: (n: number) => string) =>
    Promise.all(Array.from({ length: count }, (_, n) => logIn({ email, password: sent(n) })))

  test('429: of 50 concurrent attempts exactly five are checked, and then the right password is refused', async () => {
    const { user } = await person()
    const tries = await atOnce(user.email, 50, () => wrong)
    expect(tries.filter(({ statusCode }) => statusCode === 401)).toHaveLength(5)
    const right = await logIn({ email: user.email, password })
    expect(right.statusCode).toBe(429)
    expect(Number(right.headers['retry-after'])).toBeGreaterThan(800)
    expect(right.json().code).toBe('locked')
  })

  test('429: an unknown address has the same limit and the same body', async () => {
    const unknown = `nobody-${randomBytes(8).toString('hex')}@nowhere.example`
    const tries = await atOnce(unknown, 20, () => wrong)
    expect(tries.filter(({ statusCode }) => statusCode === 401)).toHaveLength(5)
    const codes = tries.filter(({ statusCode }) => statusCode === 429).map((one) => one.json().code)
    expect(codes).toContain('tries_in_flight')
    expect((await logIn({ email: unknown, password })).json().code).toBe('locked')
  })

  test('200: concurrent right passwords lock no account; one above the limit may retry after a second', async () => {
    const { user } = await person()
    const answers = await atOnce(user.email, 20, () => password)
    expect(answers.filter(({ statusCode }) => statusCode === 200).length).toBeGreaterThanOrEqual(5)
    for (const refused of answers.filter(({ statusCode }) => statusCode !== 200)) {
      expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '1'])
      expect(refused.json().code).toBe('tries_in_flight')
    }
    expect((await logIn({ email: user.email, password })).statusCode).toBe(200)
  })

  test('200: six right passwords of one person at one moment all sign in', async () => {
    const { user } = await person()
    const answers = await atOnce(user.email, 6, () => password)
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array<number>(6).fill(200))
  })

  test('429: while many passwords of its address are checked, none is checked or hashed, and no try is counted', async () => {
    const { org, user } = await person()
    const owner = await org.user('Owner')
    const [invitation, reset] = [newSecret(), newSecret()]
    await harness.deps.store.tenant(org.id, async (tenant) => {
      const tokens = userTokens(tenant)
      await tokens.create(user.id, 'invitation', { hash: invitation.hash, minutes: 5 })
      await tokens.create(user.id, 'password_reset', { hash: reset.hash, minutes: 5 })
    })
    const { promise, resolve } = Promise.withResolvers<void>()
    const under = Array.from({ length: passwordsAtOnce }, async () =>
      inPasswordTurn('127.0.0.1', async () => promise),
    )
    const other = 'a wholly different sentence'
    const post = async (url: string, payload: object) =>
      harness.app.inject({ method: 'POST', url: `/api/auth/${url}`, payload })
    const resetting = { token: reset.plain, password: other }
    for (const refused of [
      await logIn({ email: user.email, password: wrong }),
      await post('invitations/accept', { token: invitation.plain, password: other }),
      await post('password/reset', resetting),
      await user.post('/api/auth/password', { current: password, password: other }),
      await owner.post('/api/org/transfer-ownership', { userId: user.id, password }),
    ]) {
      expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '1'])
      expect(refused.json().code).toBe('tries_in_flight')
    }
    const subjects = [user.email, owner.email].map(passwordTries)
    const { platform } = harness.deps.store
    expect(await platform('sign_in_failures').whereIn('subject', subjects)).toEqual([])
    resolve()
    await Promise.all(under)
    expect((await post('password/reset', resetting)).statusCode).toBe(200)
  })

  test('429: after four failures one of several concurrent attempts is checked', async () => {
    const { user } = await person()
    for (let n = 0; n < 4; n += 1) await logIn({ email: user.email, password: wrong })
    const tries = await atOnce(user.email, 30, () => wrong)
    expect(tries.filter(({ statusCode }) => statusCode === 401)).toHaveLength(1)
    expect((await logIn({ email: user.email, password })).json().code).toBe('locked')
  })

  test('a success does not clear failures that come after it', async () => {
    const tries = signInTries(harness.deps.store.platform)
    const subject = randomBytes(32)
    for (let n = 0; n < 5; n += 1) expect(await tries.take(subject)).toBe('taken')
    expect(await tries.take(subject)).toBe('busy')
    await tries.end(subject, 'succeeded')
    for (let n = 0; n < 4; n += 1) await tries.end(subject, 'failed')
    expect(await tries.take(subject)).toBe('taken')
    expect(await tries.take(subject)).toBe('busy')
    await tries.end(subject, 'failed')
    expect(await tries.take(subject)).toEqual({ lockedSeconds: 900 })
  })

  test('attempts that were lost with their process count as failed', async () => {
    const tries = signInTries(harness.deps.store.platform)
    const subject = randomBytes(32)
    for (let n = 0; n < 3; n += 1) await tries.take(subject)
    await harness.deps.store.platform.raw(
      'update sign_in_failures set in_flight_until = now() where subject = ?',
      [subject],
    )
    expect(await tries.take(subject)).toBe('taken')
    expect(await tries.take(subject)).toBe('taken')
    expect(await tries.take(subject)).toBe('busy')
    await tries.end(subject, 'failed')
    await tries.end(subject, 'failed')
    expect(await tries.take(subject)).toEqual({ lockedSeconds: 900 })
  })

  test('429: Retry-After is at most fifteen minutes, whenever the attempt started', async () => {
    const tries = signInTries(harness.deps.store.platform)
    const subject = randomBytes(32)
    for (let n = 0; n < 5; n += 1) {
      expect(await tries.take(subject)).toBe('taken')
      await tries.end(subject, 'failed')
    }
    // The value that an attempt sees which started before the fifth one ended.
    await harness.deps.store.platform.raw(
      `update sign_in_failures set locked_until = locked_until + interval '10 seconds' where subject = ?`,
      [subject],
    )
    expect(await tries.take(subject)).toEqual({ lockedSeconds: 900 })
  })

  test('400: an unknown field is named', async () => {
    const response = await logIn({ email: 'a@b.example', password, remember: true })
    expect(response.statusCode).toBe(400)
    expect(response.json().details[0].path).toBe('remember')
  })
})

describe('invitations', () => {
  test('200: an invited person chooses a password, once', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const email = `new@${org.slug}.example`
    const invited = await owner.post('/api/org/users', { email, name: 'New', role: 'Deployer' })
    expect(invited.statusCode).toBe(201)
    const token = /#([\w-]{43})$/m.exec((await harness.mailTo(email)).text)?.[1]
    const accept = () =>
      harness.app.inject({
        method: 'POST',
        url: '/api/auth/invitations/accept',
        payload: { token, password },
      })
    expect((await accept()).json()).toMatchObject({ ok: true, user: { email, role: 'Deployer' } })
    expect((await accept()).statusCode).toBe(400)
    expect((await logIn({ email, password })).statusCode).toBe(200)
    const { entries } = (await owner.get('/api/audit?event=auth.invitation_accepted')).json()
    expect(entries).toMatchObject([{ target: { label: email }, detail: {} }])
  })

  test('409: an existing address is reported with the user’s id', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const response = await owner.post('/api/org/users', {
      email: owner.email,
      name: 'Again',
      role: 'Viewer',
    })
    expect(response.statusCode).toBe(409)
    expect(response.json().existingId).toBe(owner.id)
  })

  test('403: a role above the caller’s own cannot be granted', async () => {
    const org = await harness.organization()
    const admin = await org.user('Org Admin')
    const response = await admin.post('/api/org/users', {
      email: `x@${org.slug}.example`,
      name: 'X',
      role: 'Owner',
    })
    expect(response.statusCode).toBe(403)
  })
})

describe('cookies and tokens', () => {
  test('403: a change with a cookie needs the exact origin of the service', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    for (const headers of [
      {},
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
    ]) {
      const response = await harness.app.inject({
        method: 'POST',
        url: '/api/auth/logout',
        headers: { ...headers, cookie: `cc_session=${owner.cookie}` },
      })
      expect([response.statusCode, response.json().code]).toEqual([403, 'cross_site'])
    }
  })

  test('200 and 403: a token reads, never reaches a session-only route, and has its role as a ceiling', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const headers = { authorization: `Bearer ${await owner.token('Owner')}` }
    const me = await harness.app.inject({ url: '/api/auth/me', headers })
    expect(me.json().user.role).toBe('Org Admin')
    const own = await harness.app.inject({ url: '/api/auth/tokens', headers })
    expect([own.statusCode, own.json().code]).toEqual([403, 'session_required'])
  })

  test('401: a token of a deactivated user', async () => {
    const org = await harness.organization()
    const user = await org.user('Deployer')
    const headers = { authorization: `Bearer ${await user.token('Viewer')}` }
    await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant).db('users').where({ id: user.id }).update({ active: false }),
    )
    expect((await harness.app.inject({ url: '/api/auth/me', headers })).statusCode).toBe(401)
  })
})
