import { unwrap } from '../../../store/driver/tenant.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { requireSso } from '../../harness/saml-organization.ts'
import { createSecondApp, type SecondApp } from '../../harness/second-app.ts'
import { logIn, password, person, send, type Person } from './people.ts'

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

const another = 'a wholly different sentence'
const forgot = async (email: string, app = harness.app) =>
  send(app, '/api/auth/password/forgot', { email })
const reset = async (token: string, app = harness.app, secret = another) =>
  send(app, '/api/auth/password/reset', { token, password: secret })

/** The token in the newest mail to this address, once it has more than `after` mails. */
async function tokenFor(email: string, after = 0): Promise<string> {
  await forgot(email, after % 2 ? harness.app : other.app)
  const { text } = await harness.mailTo(email, after)
  return /^([\w-]{43})$/m.exec(text)?.[1] ?? ''
}

const queued = async ({ user }: Person) =>
  harness.deps.store.platform('mails').where({ userId: user.id })

/**
 * Waits until the work after the answer is done: a later request for another user has sent its
 * mail.
 */
async function settled(): Promise<void> {
  const witness = await person(harness)
  await tokenFor(witness.email)
  await new Promise((resolve) => setTimeout(resolve, 500))
}

describe('POST /api/auth/password/forgot', () => {
  test('200: status, body and headers are the same for known and unknown addresses', async () => {
    const { email } = await person(harness)
    const answers = await Promise.all([
      forgot(email),
      forgot('nobody@nowhere.example'),
      forgot(email, other.app),
    ])
    const shape = answers.map(({ statusCode, body, headers }) => ({
      statusCode,
      body,
      headers: Object.entries(headers).map(([name, value]) =>
        /^(date|x-request-id|ratelimit-.*)$/.test(name) ? name : `${name}: ${String(value)}`,
      ),
    }))
    expect(shape[1]).toEqual(shape[0])
    expect(shape[2]).toEqual(shape[0])
    expect(answers[0]?.json()).toEqual({ ok: true })
  })

  test('no mail to a deactivated user, a user without a password, or in a suspended organization', async () => {
    const [inactive, suspended] = [await person(harness), await person(harness)]
    const org = await harness.organization()
    const invited: Person = { org, user: await org.user('Viewer'), email: '' }
    const { platform } = harness.deps.store
    await platform('users').where({ id: inactive.user.id }).update({ active: false })
    await platform('organizations').where({ id: suspended.org.id }).update({ status: 'suspended' })
    for (const { user } of [inactive, suspended, invited]) await forgot(user.email)
    await settled()
    for (const one of [inactive, suspended, invited]) expect(await queued(one)).toEqual([])
  })

  test('a mailbox gets at most five mails in 15 minutes from both processes together', async () => {
    const one = await person(harness)
    const tries = Array.from({ length: 20 }, (_, n) => (n % 2 ? harness.app : other.app))
    const answers = await Promise.all(tries.map(async (app) => forgot(one.email, app)))
    expect(new Set(answers.map(({ statusCode, body }) => `${statusCode}${body}`)).size).toBe(1)
    await settled()
    expect(await queued(one)).toHaveLength(5)
  })
})

describe('POST /api/auth/password/reset', () => {
  test('200 and 400: a link works once, also at once in two processes', async () => {
    const { email } = await person(harness)
    const token = await tokenFor(email)
    const both = await Promise.all([
      reset(token),
      reset(token, other.app, 'yet another sentence entirely'),
    ])
    expect(both.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([200, 400])
    expect((await reset(token, other.app)).json().code).toBe('reset_invalid')
    expect((await reset('made-up')).json().code).toBe('reset_invalid')
  })

  test('200: the old password and all sessions end, in the other process too; a reset does not sign in', async () => {
    const { user, email } = await person(harness)
    const inside = (await logIn(other.app, { email, password })).cookies[0]?.value ?? ''
    const done = await reset(await tokenFor(email))
    expect([done.statusCode, done.headers['set-cookie']]).toEqual([200, undefined])
    for (const cookie of [user.cookie, inside])
      for (const app of [harness.app, other.app]) {
        const headers = { cookie: `cc_session=${cookie}` }
        expect((await app.inject({ url: '/api/auth/me', headers })).statusCode).toBe(401)
      }
    expect((await logIn(other.app, { email, password })).statusCode).toBe(401)
    expect((await logIn(other.app, { email, password: another })).statusCode).toBe(200)
  })

  test('400: a link after 30 minutes, and after another link was used', async () => {
    const { org, user, email } = await person(harness)
    const first = await tokenFor(email)
    const tokens = () => harness.deps.store.platform('user_tokens').where({ userId: user.id })
    const [row] = await tokens().select(
      harness.deps.store.platform.raw('extract(epoch from expires_at - created_at) as seconds'),
    )
    expect(Number(row.seconds)).toBe(30 * 60)
    await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant)
        .db('user_tokens')
        .where({ userId: user.id })
        .update({ expiresAt: unwrap(tenant).db.raw(`now() - interval '1 second'`) }),
    )
    expect((await reset(first)).json().code).toBe('reset_invalid')

    const second = await tokenFor(email, 1)
    const third = await tokenFor(email, 2)
    expect((await reset(third)).statusCode).toBe(200)
    expect((await reset(second, other.app)).json().code).toBe('reset_invalid')
  })

  test('400: a password that is too weak does not consume the link', async () => {
    const { email } = await person(harness)
    const token = await tokenFor(email)
    for (const weak of ['short', 'passwordpassword', email])
      expect((await reset(token, harness.app, weak)).statusCode, weak).toBe(400)
    expect((await reset(token)).statusCode).toBe(200)
  })

  test('only a reset unlocks a locked address', async () => {
    const { email } = await person(harness)
    for (let n = 0; n < 6; n += 1)
      await logIn(n % 2 ? harness.app : other.app, { email, password: 'wrong wrong wrong' })
    expect((await logIn(harness.app, { email, password })).statusCode).toBe(429)
    await reset(await tokenFor(email))
    expect((await logIn(other.app, { email, password: another })).statusCode).toBe(200)
  })

  test('403: with required single sign-on only an Owner may reset, also with an older link', async () => {
    const owner = await person(harness, { role: 'Owner' })
    const member = await person(harness, { org: owner.org })
    const token = await tokenFor(member.email)
    await requireSso(owner.user)
    const refused = await reset(token, other.app)
    expect([refused.statusCode, refused.json().code]).toEqual([403, 'sso_required'])
    await forgot(member.email)
    expect((await reset(await tokenFor(owner.email))).statusCode).toBe(200)
    expect((await queued(member)).map(({ outcome }) => outcome)).toEqual(['sent'])
  })

  test('403: with required single sign-on only an Owner accepts an invitation with a password', async () => {
    const owner = await person(harness, { role: 'Owner' })
    await requireSso(owner.user)
    for (const [role, status] of [
      ['Org Admin', 403],
      ['Owner', 200],
    ] as const) {
      const email = `new-${status}@${owner.org.slug}.example`
      await owner.user.post('/api/org/users', { email, name: 'New', role })
      const token = /^([\w-]{43})$/m.exec((await harness.mailTo(email)).text)?.[1]
      const accepted = await send(other.app, '/api/auth/invitations/accept', { token, password })
      expect(accepted.statusCode, accepted.body).toBe(status)
    }
  })
})
