import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { liveTokensPerUser } from '../../../store/tokens/tokens.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { createSecondApp, type SecondApp } from '../../harness/second-app.ts'

let harness: Harness
let second: SecondApp
beforeAll(async () => {
  harness = await createHarness()
  second = await createSecondApp(harness)
})
afterAll(async () => {
  await second.close()
  await harness.close()
})

const url = '/api/org/tokens'
const meAs = (token: string) =>
  second.app.inject({ url: '/api/auth/me', headers: { authorization: `Bearer ${token}` } })

describe('/api/org/tokens', () => {
  test('200: lists all users’ tokens with their owner, newest first, by pages, without values', async () => {
    const org = await harness.organization()
    const admin = await org.user('Org Admin')
    const user = await org.user('Deployer')
    const plain = [await user.token('Viewer'), await admin.token('Deployer')]
    await (await (await harness.organization()).user('Owner')).token()
    expect((await meAs(plain[0] ?? '')).statusCode).toBe(200)

    const first = (await admin.get(`${url}?limit=1`)).json()
    expect(first.tokens).toMatchObject([
      { role: 'Deployer', user: { id: admin.id }, lastUsedAt: null },
    ])
    const next = await admin.get(`${url}?limit=1&cursor=${first.nextCursor}`)
    expect(next.json()).toMatchObject({
      tokens: [{ role: 'Viewer', user: { id: user.id, email: user.email } }],
      nextCursor: null,
    })
    expect(next.json().tokens[0].lastUsedAt).not.toBeNull()
    for (const one of plain) expect(next.body).not.toContain(one)
  })

  test('201 and 403: a token up to the caller’s role, and never more than an Org Admin', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const admin = await org.user('Org Admin')
    const made = await owner.post(url, { name: 'ci', role: 'Owner', expiresInDays: 1 })
    expect(made.statusCode).toBe(201)
    expect(made.json().token).toMatch(/^cc_pat_[0-9A-Za-z]{49}$/)
    const me = (await meAs(made.json().token)).json()
    expect(me.user).toMatchObject({ role: 'Org Admin', platformAdmin: false })
    expect(me.user.capabilities).not.toContain('manage_billing_transfer')
    const above = await admin.post(url, { name: 'ci', role: 'Owner' })
    expect([above.statusCode, above.json().code]).toEqual([403, 'role_above_own'])
  })

  test('403: only with a session and manage_users_sso', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const cloudAdmin = await org.user('SRE · Cloud Admin')
    const headers = { authorization: `Bearer ${await owner.token()}` }
    for (const method of ['GET', 'POST'] as const) {
      const response = await harness.app.inject({ method, url, headers })
      expect([response.statusCode, response.json().code]).toEqual([403, 'session_required'])
    }
    expect((await cloudAdmin.get(url)).json().code).toBe('forbidden')
    expect((await cloudAdmin.post(url, {})).json().code).toBe('forbidden')
    expect((await cloudAdmin.delete(`${url}/1`)).json().code).toBe('forbidden')
  })

  test('200 and 404: an administrator revokes any user’s token once, and none of another organization', async () => {
    const org = await harness.organization()
    const admin = await org.user('Org Admin')
    const user = await org.user('Deployer')
    const plain = await user.token('Viewer')
    const [{ id }] = (await admin.get(url)).json().tokens
    const stranger = await (await harness.organization()).user('Owner')
    expect((await stranger.delete(`${url}/${id}`)).statusCode).toBe(404)
    expect((await meAs(plain)).statusCode).toBe(200)
    expect((await admin.delete(`${url}/${id}`)).json()).toEqual({ ok: true })
    expect((await meAs(plain)).statusCode).toBe(401)
    expect((await admin.delete(`${url}/${id}`)).statusCode).toBe(404)
  })

  test('409: 30 concurrent requests in two processes by two routes create exactly 20', async () => {
    const org = await harness.organization()
    const admin = await org.user('Org Admin')
    const body = { name: 'many', role: 'Viewer' }
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, at) =>
        at % 2 === 0
          ? admin.post(url, body)
          : second.call(admin, 'POST', { url: '/api/auth/tokens', body }),
      ),
    )
    const made = answers.filter(({ statusCode }) => statusCode === 201)
    const refused = answers.filter(({ statusCode }) => statusCode === 409)
    expect([made.length, refused.length]).toEqual([liveTokensPerUser, 10])
    expect(refused[0]?.json().code).toBe('token_limit')
    await admin.delete(`${url}/${made[0]?.json().id}`)
    expect((await admin.post(url, body)).statusCode).toBe(201)
  })

  test('a token’s power follows its owner’s role at once', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const admin = await org.user('Org Admin')
    const { token } = (await admin.post(url, { name: 'ci', role: 'Org Admin' })).json()
    const roleNow = async () => (await meAs(token)).json().user.role
    expect(await roleNow()).toBe('Org Admin')
    await owner.patch(`/api/org/users/${admin.id}`, { role: 'Deployer' })
    expect(await roleNow()).toBe('Deployer')
    await owner.patch(`/api/org/users/${admin.id}`, { role: 'Owner' })
    expect(await roleNow()).toBe('Org Admin')
  })
})
