import { unwrap } from '../../../store/driver/tenant.ts'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { createSecondApp, type SecondApp } from '../../harness/second-app.ts'
import type { TestUser } from '../../harness/test-user.ts'

let harness: Harness
let second: SecondApp
let admin: TestUser
beforeAll(async () => {
  harness = await createHarness()
  second = await createSecondApp(harness)
  admin = await (await harness.organization()).user('Viewer', { platformAdmin: true })
})
afterAll(async () => {
  await second.close()
  await harness.close()
})

const url = '/api/admin/organizations'
const newSlug = () => `s${randomBytes(5).toString('hex')}`
const eventsOf = async (organizationId: number) =>
  harness.deps.store.tenant(organizationId, async (tenant) =>
    unwrap(tenant)
      .db('audit_entries')
      .where({ organizationId })
      .orderBy('id')
      .select('event', 'actorLabel', 'actorId'),
  )

describe('/api/admin/organizations', () => {
  test('201: an organization whose Owner signs in by the invitation', async () => {
    const slug = newSlug()
    const owner = { email: `o@${slug}.example`, name: 'Olga' }
    const made = await admin.post(url, { name: 'New', slug, owner })
    expect(made.statusCode).toBe(201)
    const { organization, invitationToken } = made.json()
    const accepted = await harness.app.inject({
      method: 'POST',
      url: '/api/auth/invitations/accept',
      payload: { token: invitationToken, password: 'correct horse battery staple' },
    })
    expect(accepted.json()).toMatchObject({ user: { role: 'Owner' }, organization: { slug } })
    expect(await eventsOf(organization.id)).toMatchObject([
      { event: 'org.created', actorLabel: admin.email, actorId: null },
      { event: 'auth.invitation_accepted' },
      { event: 'auth.login' },
    ])
  })

  test('409: one of several concurrent requests gets the slug; a later failure leaves no rows', async () => {
    const slug = newSlug()
    const owner = { email: `o@${slug}.example`, name: 'Olga' }
    const body = { name: 'New', slug, owner }
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, at) =>
        at % 2 ? admin.post(url, body) : second.call(admin, 'POST', { url, body }),
      ),
    )
    expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(1)
    const made = answers.find(({ statusCode }) => statusCode === 201)?.json()
    expect(answers.find(({ statusCode }) => statusCode === 409)?.json()).toMatchObject({
      code: 'slug_taken',
      existingId: made.organization.id,
    })

    const other = newSlug()
    const broken = `create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'no'; end $$;
      create trigger refuse before insert on user_tokens for each row execute function refuse()`
    await asOwner(broken)
    const failed = await admin.post(url, { ...body, slug: other })
    await asOwner('drop trigger refuse on user_tokens; drop function refuse')
    expect(failed.statusCode).toBe(500)
    const left = await harness.deps.store.platform('organizations').where({ slug: other })
    expect(left).toEqual([])
  })

  test('200: suspending ends sessions and tokens, and is audited once in the suspended organization', async () => {
    const org = await harness.organization()
    const user = await org.user('Owner')
    const headers = { authorization: `Bearer ${await user.token()}` }
    for (let times = 0; times < 2; times += 1) {
      const suspended = await admin.post(`${url}/${org.id}/suspend`)
      expect(suspended.json()).toMatchObject({ ok: true, organization: { status: 'suspended' } })
    }
    expect((await second.call(user, 'GET', { url: '/api/auth/me' })).statusCode).toBe(401)
    expect((await second.app.inject({ url: '/api/auth/me', headers })).statusCode).toBe(401)
    expect((await admin.post(`${url}/${org.id}/resume`)).json().organization.status).toBe('active')
    // Ended sessions stay ended. Tokens work again.
    expect((await user.get('/api/auth/me')).statusCode).toBe(401)
    expect((await second.app.inject({ url: '/api/auth/me', headers })).statusCode).toBe(200)
    expect(await eventsOf(org.id)).toEqual([
      { event: 'org.suspended', actorLabel: admin.email, actorId: null },
      { event: 'org.resumed', actorLabel: admin.email, actorId: null },
    ])
  })

  test('401: a session that a sign-in opened during the suspension ends with it', async () => {
    const org = await harness.organization()
    expect((await admin.post(`${url}/${org.id}/suspend`)).statusCode).toBe(200)
    // The sign-in read that the organization is active before the suspension, and opens its session after.
    const late = await org.user('Viewer')
    expect((await late.get('/api/auth/me')).statusCode).toBe(401)
    expect((await admin.post(`${url}/${org.id}/resume`)).statusCode).toBe(200)
    expect((await late.get('/api/auth/me')).statusCode).toBe(401)
    expect((await (await org.user('Viewer')).get('/api/auth/me')).statusCode).toBe(200)
  })

  test('409 and 404: the caller’s own organization, and an unknown one', async () => {
    const me = (await admin.get('/api/auth/me')).json()
    const own = await admin.post(`${url}/${me.organization.id}/suspend`)
    expect([own.statusCode, own.json().code]).toEqual([409, 'own_organization'])
    expect((await admin.post(`${url}/2147483647/suspend`)).statusCode).toBe(404)
    expect((await admin.post(`${url}/x/suspend`)).statusCode).toBe(404)
  })

  test('404: other callers get exactly the answer of an unknown route', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const platform = await org.user('Owner', { platformAdmin: true })
    const credentials = [
      {},
      { cookie: `cc_session=${owner.cookie}` },
      { cookie: `cc_session=${owner.cookie}`, origin: harness.config.baseUrl },
      { authorization: `Bearer ${await owner.token('Owner')}` },
      { authorization: `Bearer ${await platform.token('Owner')}` },
      { authorization: 'Bearer nonsense' },
      { authorization: 'Basic !' },
    ]
    const requests = [
      { method: 'GET' as const, path: '' },
      { method: 'POST' as const, path: '', payload: '{"name":' },
      { method: 'POST' as const, path: '', payload: '<a/>', type: 'application/xml' },
      { method: 'POST' as const, path: '', payload: 'x'.repeat(1_100_000) },
      { method: 'POST' as const, path: `/${org.id}/suspend`, payload: '{}' },
      { method: 'DELETE' as const, path: '' },
    ]
    for (const headers of credentials)
      for (const { method, path, payload, type = 'application/json' } of requests) {
        const answers = await Promise.all(
          [url, '/api/nothing/organizations'].map((base) =>
            harness.app.inject({
              method,
              url: base + path,
              headers: { ...headers, ...(payload !== undefined && { 'content-type': type }) },
              ...(payload !== undefined && { payload }),
            }),
          ),
        )
        const [hidden, unknown] = answers.map(({ statusCode, body, headers: given }) => {
          // Headers that differ between any two requests.
          const own = new Set(['x-request-id', 'date', 'ratelimit-remaining', 'ratelimit-reset'])
          const rest = Object.entries(given).filter(([name]) => !own.has(name))
          return { statusCode, body, headers: Object.fromEntries(rest) }
        })
        expect(hidden, `${method} ${path} ${JSON.stringify(headers).slice(0, 60)}`).toEqual(unknown)
        expect(hidden?.statusCode).toBe(404)
        expect(hidden?.body).toBe('{"error":"Not found","code":"not_found"}')
      }
  })
})

async function asOwner(sql: string): Promise<void> {
  const { connectOwner } = await import('../../../store/driver/connect.ts')
  const owner = connectOwner(harness.config.databaseUrl)
  await owner.raw(sql)
  await owner.destroy()
}
