import { unwrap } from '../../../store/driver/tenant.ts'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApp } from '../../../api/app.ts'
import { createKeyring } from '../../../gateways/keyring/keyring.ts'
import { Secret } from '../../../config.ts'
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

const verify = async (app: Harness['app'], mfaToken: string, code: string) =>
  send(app, '/api/auth/mfa/verify', { mfaToken, code })

const firstStep = async (email: string): Promise<string> =>
  (await logIn(harness.app, { email, password })).json().mfaToken

const me = async (cookie: string) =>
  harness.app.inject({ url: '/api/auth/me', headers: { cookie: `cc_session=${cookie}` } })

const remove = async (user: { cookie: string }, code: string) =>
  harness.app.inject({
    method: 'DELETE',
    url: '/api/auth/mfa',
    headers: { cookie: `cc_session=${user.cookie}`, origin: harness.config.baseUrl ?? '' },
    payload: { code },
  })

describe('enrolling', () => {
  test('200: a secret and its QR code, and ten recovery codes after a right code', async () => {
    const { user, email } = await person(harness)
    const enrolled = (await user.post('/api/auth/mfa/enroll')).json()
    expect(enrolled.otpauthUrl).toContain(`secret=${enrolled.secret}`)
    expect(enrolled.qrSvg).toMatch(/^<svg [\s\S]*<\/svg>$/)
    // The second factor is not required before it is activated.
    expect((await logIn(harness.app, { email, password })).json().mfaRequired).toBeUndefined()

    const wrong = await user.post('/api/auth/mfa/activate', { code: codeOf(enrolled.secret, 9) })
    expect([wrong.statusCode, wrong.json().code]).toEqual([403, 'invalid_code'])
    expect((await user.get('/api/auth/me')).json().user.mfaEnabled).toBe(false)
    const right = await user.post('/api/auth/mfa/activate', { code: codeOf(enrolled.secret) })
    expect(new Set(right.json().recoveryCodes).size).toBe(10)
    expect((await user.get('/api/auth/me')).json().user.mfaEnabled).toBe(true)
  })

  test('409: a session cannot replace an active second factor', async () => {
    const { user, secret } = await personWithCode(harness)
    for (const [url, body] of [
      ['/api/auth/mfa/enroll', undefined],
      ['/api/auth/mfa/activate', { code: codeOf(secret) }],
    ] as const) {
      const response = await user.post(url, body)
      expect([response.statusCode, response.json().code]).toEqual([409, 'mfa_enabled'])
    }
  })

  test('409: without a second factor, attempts lock no account', async () => {
    const { user } = await person(harness)
    const enrolled = (): Promise<{ secret: string }> =>
      user.post('/api/auth/mfa/enroll').then((answer) => answer.json())
    for (let n = 0; n < 6; n += 1) {
      const answer = await user.post('/api/auth/mfa/activate', { code: '123456' })
      expect([answer.statusCode, answer.json().code]).toEqual([409, 'mfa_not_enrolled'])
    }
    for (let n = 0; n < 6; n += 1)
      expect((await remove(user, '123456')).json().code).toBe('mfa_not_enabled')
    const code = codeOf((await enrolled()).secret)
    expect((await user.post('/api/auth/mfa/activate', { code })).statusCode).toBe(200)
  })

  test('the secret and the recovery codes are not stored in clear text', async () => {
    const { org, secret, recoveryCodes } = await personWithCode(harness)
    const dump = await harness.deps.store.tenant(org.id, async (tenant) => [
      ...(await unwrap(tenant).db('second_factors').select('*')),
      ...(await unwrap(tenant).db('recovery_codes').select('*')),
    ])
    const text = dump.map((row) => Object.values(row).map(asText).join(' ')).join('\n')
    for (const plain of [
      secret,
      ...recoveryCodes,
      ...recoveryCodes.map((code) => code.replaceAll('-', '')),
    ])
      expect(text).not.toContain(plain)
  })
})

const asText = (value: unknown): string =>
  Buffer.isBuffer(value) ? value.toString('latin1') : String(value)

describe('POST /api/auth/mfa/verify', () => {
  test('200: the password gives a token, and the code gives the session', async () => {
    const { email, secret } = await personWithCode(harness)
    const first = await logIn(harness.app, { email, password })
    expect(first.json()).toEqual({ ok: true, mfaRequired: true, mfaToken: expect.any(String) })
    expect(first.headers['set-cookie']).toBeUndefined()

    const { mfaToken } = first.json()
    expect((await me(mfaToken)).statusCode).toBe(401)
    // Another process may handle the second step.
    const second = await verify(other.app, mfaToken, codeOf(secret))
    expect(second.statusCode).toBe(200)
    expect(second.json()).toMatchObject({ ok: true, user: { email } })
    expect((await me(second.cookies[0]?.value ?? '')).statusCode).toBe(200)
  })

  test('401: a used token, and an invented one', async () => {
    const { email, recoveryCodes } = await personWithCode(harness)
    const mfaToken = await firstStep(email)
    expect((await verify(harness.app, mfaToken, recoveryCodes[0] ?? '')).statusCode).toBe(200)
    for (const token of [mfaToken, 'made-up']) {
      const again = await verify(harness.app, token, recoveryCodes[1] ?? '')
      expect([again.statusCode, again.json().code]).toEqual([401, 'mfa_token_invalid'])
    }
  })

  test('401: a code works once within its time, also in two processes at once', async () => {
    const { email, secret } = await personWithCode(harness)
    const code = codeOf(secret)
    const [one, two] = [await firstStep(email), await firstStep(email)]
    const both = await Promise.all([verify(harness.app, one, code), verify(other.app, two, code)])
    expect(both.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([200, 401])
    // An older code is refused too, although it has not expired.
    const older = await verify(harness.app, await firstStep(email), codeOf(secret, -1))
    expect([older.statusCode, older.json().code]).toEqual([401, 'invalid_code'])
    expect((await verify(harness.app, await firstStep(email), codeOf(secret, 1))).statusCode).toBe(
      200,
    )
  })

  test('401: the code that activated the second factor does not sign in', async () => {
    const { user, email } = await person(harness)
    const { secret } = (await user.post('/api/auth/mfa/enroll')).json()
    const code = codeOf(secret)
    await user.post('/api/auth/mfa/activate', { code })
    expect((await verify(harness.app, await firstStep(email), code)).statusCode).toBe(401)
  })

  test('200, then 401: a recovery code works once in any spelling, and is audited', async () => {
    const { org, email, recoveryCodes } = await personWithCode(harness)
    const code = recoveryCodes[0] ?? ''
    const typed = ` ${code.toUpperCase().replaceAll('-', ' ')}`
    expect((await verify(harness.app, await firstStep(email), typed)).statusCode).toBe(200)
    expect((await verify(harness.app, await firstStep(email), code)).statusCode).toBe(401)
    const entry = await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant)
        .db('audit_entries')
        .where({ event: 'auth.recovery_code_used' })
        .first('detail'),
    )
    expect(entry.detail).toEqual({ left: 9 })
  })

  test('401: another person’s code does not fit the token', async () => {
    const one = await personWithCode(harness)
    const two = await personWithCode(harness)
    const mfaToken = await firstStep(one.email)
    for (const code of [codeOf(two.secret), two.recoveryCodes[0] ?? ''])
      expect((await verify(harness.app, mfaToken, code)).statusCode).toBe(401)
  })

  test('401: a token ends with a deactivation and with a new password', async () => {
    const { org, user, email, secret } = await personWithCode(harness)
    const before = await firstStep(email)
    const changed = await user.post('/api/auth/password', {
      current: password,
      password: 'a wholly different sentence',
    })
    expect(changed.statusCode).toBe(200)
    expect((await verify(harness.app, before, codeOf(secret))).json().code).toBe(
      'mfa_token_invalid',
    )

    const { mfaToken } = (
      await logIn(harness.app, { email, password: 'a wholly different sentence' })
    ).json()
    await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant).db('users').where({ id: user.id }).update({ active: false }),
    )
    expect((await verify(harness.app, mfaToken, codeOf(secret))).json().code).toBe(
      'mfa_token_invalid',
    )
  })

  test('429: of 50 concurrent attempts in two processes five are checked, and then the right code is refused', async () => {
    const { email, secret } = await personWithCode(harness)
    const mfaToken = await firstStep(email)
    const tries = await Promise.all(
      Array.from({ length: 50 }, async (_, n) =>
        verify(n % 2 ? harness.app : other.app, mfaToken, codeOf(secret, 40 + n)),
      ),
    )
    expect(tries.filter(({ statusCode }) => statusCode === 401)).toHaveLength(5)
    expect(tries.filter(({ statusCode }) => statusCode === 429)).toHaveLength(45)
    // Codes have their own count: a right password still passes the first step, and does not reset
    // it.
    const right = await verify(harness.app, await firstStep(email), codeOf(secret))
    expect(right.statusCode).toBe(429)
    expect(Number(right.headers['retry-after'])).toBeGreaterThan(800)
  })

  test('503: codes cannot be verified without the key; unknown recovery codes still count', async () => {
    const { email, secret } = await personWithCode(harness)
    const mfaToken = await firstStep(email)
    const keyring = createKeyring([
      { id: 'new', key: new Secret(randomBytes(32).toString('base64')) },
    ])
    const app = await createApp({ ...harness.deps, keyring })
    const response = await verify(app, mfaToken, codeOf(secret))
    expect([response.statusCode, response.json().code]).toEqual([503, 'keyring_unavailable'])
    await app.close()
    expect((await verify(harness.app, mfaToken, codeOf(secret))).statusCode).toBe(200)
  })
})

describe('DELETE /api/auth/mfa', () => {
  test('403, then 200: removal needs a code, and from then on the password is enough', async () => {
    const { user, email, secret, recoveryCodes } = await personWithCode(harness)
    const wrong = await remove(user, codeOf(secret, 20))
    expect([wrong.statusCode, wrong.json().code]).toEqual([403, 'invalid_code'])
    expect((await remove(user, recoveryCodes[3] ?? '')).statusCode).toBe(200)
    expect((await logIn(harness.app, { email, password })).statusCode).toBe(200)
    expect((await user.get('/api/auth/me')).json().user.mfaEnabled).toBe(false)
    const again = await remove(user, codeOf(secret))
    expect([again.statusCode, again.json().code]).toEqual([409, 'mfa_not_enabled'])
  })

  test('429: removal has the same limit against guessing codes', async () => {
    const { user, secret } = await personWithCode(harness)
    for (let n = 0; n < 5; n += 1) await remove(user, codeOf(secret, 40 + n))
    expect((await remove(user, codeOf(secret))).statusCode).toBe(429)
  })
})
