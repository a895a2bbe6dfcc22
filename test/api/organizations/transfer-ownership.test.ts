import { unwrap } from '../../../store/driver/tenant.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Role } from '../../../domain/access/roles.ts'
import { hashPassword } from '../../../gateways/passwords/passwords.ts'
import { users } from '../../../store/users/users.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { createSecondApp, type SecondApp } from '../../harness/second-app.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import { createTestUser, type TestUser } from '../../harness/test-user.ts'

let harness: Harness
let second: SecondApp
let hash: string
beforeAll(async () => {
  harness = await createHarness()
  second = await createSecondApp(harness)
  hash = await hashPassword(password)
})
afterAll(async () => {
  await second.close()
  await harness.close()
})

const url = '/api/org/transfer-ownership'
const password = 'correct horse battery staple'

async function ownerOf(org: TestOrganization): Promise<TestUser> {
  const owner = await org.user('Owner')
  await harness.deps.store.tenant(org.id, async (tenant) =>
    users(tenant).setPassword(owner.id, hash),
  )
  return owner
}

/** A person whose invitation is open; `comeIn` signs them in as accepting it does. */
async function invited(by: TestUser, org: TestOrganization, role: Role) {
  const email = `late-${role.toLowerCase()}@${org.slug}.example`
  const made = await by.post('/api/org/users', { email, name: 'Late', role })
  expect(made.statusCode, made.body).toBe(201)
  const { id } = made.json().user
  const comeIn = async () =>
    createTestUser(harness.app, harness.deps, { id, organizationId: org.id, email })
  return { id, comeIn }
}
const roleOf = async (user: TestUser) => (await user.get('/api/auth/me')).json().user.role

describe('POST /api/org/transfer-ownership', () => {
  test('200: the recipient is Owner, the old Owner an Org Admin, and it is audited', async () => {
    const org = await harness.organization()
    const owner = await ownerOf(org)
    const heir = await org.user('Viewer')
    expect((await owner.post(url, { userId: heir.id, password })).json()).toEqual({ ok: true })
    expect([await roleOf(owner), await roleOf(heir)]).toEqual(['Org Admin', 'Owner'])
    const entries = await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant).db('audit_entries').where({ event: 'org.ownership_transferred' }),
    )
    expect(entries).toMatchObject([{ outcome: 'success', actorId: owner.id }])
    expect(JSON.stringify(entries)).not.toContain(password)
  })

  test('429: five wrong passwords lock the transfer and sign-in, in every process', async () => {
    const org = await harness.organization()
    const owner = await ownerOf(org)
    const heir = await org.user('Viewer')
    const body = { userId: heir.id, password: 'not the password at all' }
    const tries = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        at % 2 ? owner.post(url, body) : second.call(owner, 'POST', { url, body }),
      ),
    )
    expect(tries.filter(({ statusCode }) => statusCode === 403)).toHaveLength(5)
    const right = await owner.post(url, { userId: heir.id, password })
    expect([right.statusCode, right.json().code]).toEqual([429, 'locked'])
    expect(Number(right.headers['retry-after'])).toBeGreaterThan(800)
    const login = await harness.app.inject({
      method: 'POST',
      url: '/api/auth/login',
      payload: { email: owner.email, password },
    })
    expect(login.statusCode).toBe(429)
    expect([await roleOf(owner), await roleOf(heir)]).toEqual(['Owner', 'Viewer'])
  })

  test('429: an Owner gets no more guesses at the password of the same address elsewhere', async () => {
    const [org, other] = [await harness.organization(), await harness.organization()]
    const owner = await ownerOf(org)
    const heir = await invited(owner, org, 'Viewer')
    const { email } = owner
    const passwordHash = await hashPassword('a password of the other account')
    await harness.deps.store.tenant(other.id, async (tenant) =>
      users(tenant).create({ email, name: 'Victim', role: 'Owner', passwordHash }),
    )
    const guess = async () =>
      harness.app.inject({
        method: 'POST',
        url: '/api/auth/login',
        payload: { email, password: 'not the password at all', org: other.slug },
      })
    for (let n = 0; n < 4; n += 1) expect((await guess()).statusCode).toBe(401)
    const refused = await owner.post(url, { userId: heir.id, password })
    expect([refused.statusCode, refused.json().code]).toEqual([409, 'user_not_signed_in'])
    expect((await guess()).statusCode).toBe(401)
    const locked = await guess()
    expect([locked.statusCode, locked.json().code]).toEqual([429, 'locked'])
  })

  test('403, 404, 409: only an Owner with a session, and only to an active user of the organization', async () => {
    const org = await harness.organization()
    const owner = await ownerOf(org)
    const admin = await org.user('Org Admin')
    const asAdmin = await admin.post(url, { userId: admin.id, password })
    expect([asAdmin.statusCode, asAdmin.json().code]).toEqual([403, 'forbidden'])
    const headers = { authorization: `Bearer ${await owner.token('Owner')}` }
    const asToken = await harness.app.inject({ method: 'POST', url, headers })
    expect(asToken.json().code).toBe('session_required')

    const stranger = await (await harness.organization()).user('Viewer')
    expect((await owner.post(url, { userId: stranger.id, password })).statusCode).toBe(404)
    expect((await owner.post(url, { userId: owner.id, password })).statusCode).toBe(400)
    await owner.patch(`/api/org/users/${admin.id}`, { active: false })
    const inactive = await owner.post(url, { userId: admin.id, password })
    expect([inactive.statusCode, inactive.json().code]).toEqual([409, 'user_inactive'])
    expect(await roleOf(owner)).toBe('Owner')
  })

  test('409: to a person who was invited and has never signed in; once they have, 200', async () => {
    const org = await harness.organization()
    const owner = await ownerOf(org)
    const heir = await invited(owner, org, 'Viewer')
    const refused = await owner.post(url, { userId: heir.id, password })
    expect([refused.statusCode, refused.json().code]).toEqual([409, 'user_not_signed_in'])
    expect(await roleOf(owner)).toBe('Owner')
    const came = await heir.comeIn()
    expect((await owner.post(url, { userId: heir.id, password })).statusCode).toBe(200)
    expect([await roleOf(owner), await roleOf(came)]).toEqual(['Org Admin', 'Owner'])
  })

  test('two concurrent transfers in two processes: one succeeds', async () => {
    const org = await harness.organization()
    const owner = await ownerOf(org)
    const [one, two] = [await org.user('Viewer'), await org.user('Viewer')]
    const answers = await Promise.all([
      owner.post(url, { userId: one.id, password }),
      second.call(owner, 'POST', { url, body: { userId: two.id, password } }),
    ])
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200, 403]))
    const now = new Set([await roleOf(one), await roleOf(two)])
    expect(now).toEqual(new Set(['Owner', 'Viewer']))
  })
})
