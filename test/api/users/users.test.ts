import { unwrap } from '../../../store/driver/tenant.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newSecret } from '../../../domain/access/credentials.ts'
import { userTokens } from '../../../store/users/user-tokens.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { createSecondApp, type SecondApp } from '../../harness/second-app.ts'
import type { TestUser } from '../../harness/test-user.ts'
import { approvedRun } from './approve-as.ts'

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

const url = (user: { id: number }) => `/api/org/users/${user.id}`
const meOf = (user: TestUser) => second.call(user, 'GET', { url: '/api/auth/me' })

async function linkFor(organizationId: number, user: TestUser, purpose = 'invitation' as const) {
  const link = newSecret()
  await harness.deps.store.tenant(organizationId, async (tenant) =>
    userTokens(tenant).create(user.id, purpose, { hash: link.hash, hours: 1 }),
  )
  return () =>
    harness.app.inject({
      method: 'POST',
      url: '/api/auth/invitations/accept',
      payload: { token: link.plain, password: 'correct horse battery staple' },
    })
}

describe('GET /api/org/users', () => {
  test('200: filters by part of a name or address, role and activity, literally', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const dora = await org.user('Deployer')
    await owner.patch(url(dora), { name: '100%_Dora' })
    const eve = await org.user('Viewer')
    await owner.patch(url(eve), { active: false, name: '100 xdora' })
    const ids = async (query: string) =>
      (await owner.get(`/api/org/users?${query}`)).json().users.map((one: { id: number }) => one.id)

    expect(await ids('q=%25_d')).toEqual([dora.id])
    expect(await ids(`q=${dora.email.toUpperCase()}`)).toEqual([dora.id])
    expect(await ids('role=Deployer')).toEqual([dora.id])
    expect(await ids('active=false')).toEqual([eve.id])
    expect(await ids('active=true&role=Viewer')).toEqual([])
    expect((await owner.get('/api/org/users?role=King')).statusCode).toBe(400)
  })

  test('200 and 404: reads one user; not another organization’s', async () => {
    const org = await harness.organization()
    const viewer = await org.user('Viewer')
    const stranger = await (await harness.organization()).user('Owner')
    expect((await viewer.get(url(viewer))).json().user).toMatchObject({
      id: viewer.id,
      role: 'Viewer',
      active: true,
    })
    for (const method of ['get', 'patch', 'delete'] as const) {
      const response = await stranger[method](url(viewer))
      expect([response.statusCode, response.json()]).toEqual([
        404,
        { error: 'Not found', code: 'not_found' },
      ])
    }
    // A malformed body does not reveal that an id exists.
    expect((await stranger.patch(url(viewer), { role: 'King' })).statusCode).toBe(404)
  })
})

describe('PATCH /api/org/users/{id}', () => {
  test('200: a new role applies at once to sessions and tokens', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const admin = await org.user('Org Admin')
    const headers = { authorization: `Bearer ${await admin.token('Org Admin')}` }
    const response = await owner.patch(url(admin), { role: 'Viewer', name: 'Less' })
    expect(response.json().user).toMatchObject({ role: 'Viewer', name: 'Less' })
    expect((await meOf(admin)).json().user.role).toBe('Viewer')
    const asToken = await second.app.inject({ url: '/api/auth/me', headers })
    expect(asToken.json().user.role).toBe('Viewer')
  })

  test('403: a role above the caller’s own, and a change of a user above the caller', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const admin = await org.user('Org Admin')
    const viewer = await org.user('Viewer')
    const platform = await org.user('Viewer', { platformAdmin: true })
    const refused = [
      await admin.patch(url(viewer), { role: 'Owner' }),
      await admin.patch(url(admin), { role: 'Owner' }),
      await admin.patch(url(owner), { role: 'Viewer' }),
      await admin.patch(url(owner), { email: `mine@${org.slug}.example` }),
      await admin.patch(url(owner), { active: false }),
      await admin.patch(url(owner), { name: 'Me' }),
      await admin.delete(url(owner)),
      await owner.patch(url(platform), { email: `mine@${org.slug}.example` }),
      await owner.delete(url(platform)),
    ]
    for (const response of refused)
      expect([response.statusCode, response.json().code]).toEqual([403, 'role_above_own'])
    expect((await viewer.patch(url(admin), {})).json().code).toBe('forbidden')
    expect((await meOf(owner)).json().user.role).toBe('Owner')
  })

  test('403: an Owner’s token may change users only as an Org Admin may', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const headers = { authorization: `Bearer ${await owner.token('Owner')}` }
    const response = await harness.app.inject({
      method: 'PATCH',
      url: url(owner),
      headers,
      payload: { name: 'x' },
    })
    expect(response.json().code).toBe('role_above_own')
  })

  test('409: the last active Owner cannot be demoted, deactivated or deleted, also by themselves', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const former = await org.user('Owner')
    expect((await owner.patch(url(former), { active: false })).statusCode).toBe(200)
    for (const response of [
      await owner.patch(url(owner), { role: 'Org Admin' }),
      await owner.patch(url(owner), { active: false }),
      await owner.delete(url(owner)),
    ])
      expect([response.statusCode, response.json().code]).toEqual([409, 'last_owner'])
  })

  test('409: Owners demote or delete each other at once in two processes, and one remains', async () => {
    for (let round = 0; round < 6; round += 1) {
      const org = await harness.organization()
      const owners = await Promise.all([org.user('Owner'), org.user('Owner'), org.user('Owner')])
      const answers = await Promise.all(
        owners.map((owner, at) => {
          const victim = owners[(at + 1) % owners.length] ?? owner
          const place = { url: url(victim) }
          if (round % 3 === 0) return owner.delete(url(victim))
          const body = round % 3 === 1 ? { role: 'Viewer' } : { active: false }
          return at === 0
            ? owner.patch(url(victim), body)
            : second.call(owner, 'PATCH', { ...place, body })
        }),
      )
      const left = await harness.deps.store.tenant(org.id, async (tenant) =>
        unwrap(tenant)
          .db('users as u')
          .join('role_grants as g', 'g.userId', 'u.id')
          .where({ 'g.role': 'Owner', 'u.active': true })
          .whereNull('u.deprovisionedAt')
          .pluck('u.id'),
      )
      expect(left.length, answers.map(({ body }) => body).join('\n')).toBeGreaterThan(0)
    }
  })

  test('401: deactivation ends sessions and tokens at once, and reactivation does not restore them', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const user = await org.user('Deployer')
    const headers = { authorization: `Bearer ${await user.token('Viewer')}` }
    const accept = await linkFor(org.id, user)
    await owner.patch(url(user), { active: false })
    expect((await meOf(user)).statusCode).toBe(401)
    expect((await second.app.inject({ url: '/api/auth/me', headers })).statusCode).toBe(401)
    await owner.patch(url(user), { active: true })
    expect((await meOf(user)).statusCode).toBe(401)
    expect((await accept()).json().code).toBe('invitation_invalid')
  })

  test('200: a new address ends open links, notifies the old address, and is audited', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const user = await org.user('Deployer')
    const accept = await linkFor(org.id, user)
    const email = `new@${org.slug}.example`
    const response = await owner.patch(url(user), { email })
    expect(response.json().user.email).toBe(email)
    expect((await accept()).json().code).toBe('invitation_invalid')
    const mail = await harness.mailTo(user.email)
    expect(mail?.text).toContain(email)
    const [entry] = await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant)
        .db('audit_entries')
        .where({ event: 'org.user_updated' })
        .orderBy('id', 'desc')
        .limit(1),
    )
    expect(entry).toMatchObject({ actorId: owner.id, detail: { email: { from: user.email } } })
  })

  test('200: another spelling of the same address keeps open links', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const user = await org.user('Deployer')
    const accept = await linkFor(org.id, user)
    await owner.patch(url(user), { email: user.email.toUpperCase() })
    expect((await accept()).statusCode).toBe(200)
  })

  test('409: an existing address is reported with the user’s id', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const user = await org.user('Viewer')
    const response = await owner.patch(url(user), { email: owner.email.toUpperCase() })
    expect([response.statusCode, response.json().existingId]).toEqual([409, owner.id])
  })

  test('400: an unknown field, an invalid address, an unknown role', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    for (const body of [{ platformAdmin: true }, { email: 'nobody' }, { role: 'King' }])
      expect((await owner.patch(url(owner), body)).statusCode).toBe(400)
  })
})

describe('DELETE /api/org/users/{id}', () => {
  test('200: all credentials of the user end, the address can be used again, the row stays', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const user = await org.user('Deployer')
    const headers = { authorization: `Bearer ${await user.token('Viewer')}` }
    const accept = await linkFor(org.id, user)
    expect((await owner.delete(url(user))).json()).toEqual({ ok: true })

    expect((await meOf(user)).statusCode).toBe(401)
    expect((await second.app.inject({ url: '/api/auth/me', headers })).statusCode).toBe(401)
    expect((await accept()).statusCode).toBe(400)
    expect((await owner.get(url(user))).statusCode).toBe(404)
    expect((await owner.delete(url(user))).statusCode).toBe(404)
    const again = await owner.post('/api/org/users', {
      email: user.email,
      name: 'Again',
      role: 'Viewer',
    })
    expect(again.statusCode).toBe(201)
    expect(again.json().user.id).not.toBe(user.id)
    const rows = await harness.deps.store.platform('users').where({ id: user.id })
    expect(rows[0]).toMatchObject({ active: false, passwordHash: null })
  })
})

describe('approvals by a user who could no longer give them', () => {
  test.each([
    ['deleted', async (owner: TestUser, user: TestUser) => owner.delete(url(user))],
    [
      'deactivated',
      async (owner: TestUser, user: TestUser) => owner.patch(url(user), { active: false }),
    ],
    [
      'demoted to Viewer',
      async (owner: TestUser, user: TestUser) => owner.patch(url(user), { role: 'Viewer' }),
    ],
  ])('the run waits again when its approver is %s', async (_how, act) => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const approver = await org.user('SRE · Cloud Admin')
    const run = await approvedRun(harness.deps, org, approver)
    const before = new Date()
    expect((await act(owner, approver)).statusCode).toBe(200)
    const now = await run.now()
    expect(now).toMatchObject({ phase: 'awaiting_approval', approved: false })
    expect(now.approvalExpiresAt?.getTime()).toBeGreaterThan(before.getTime())
    const woken = await harness.deps.store
      .platform('outbox')
      .where({ organizationId: org.id, kind: 'signal' })
    expect(woken).toHaveLength(1)
  })

  test('a demotion to a role that may still approve keeps the approval', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const approver = await org.user('SRE · Cloud Admin')
    const run = await approvedRun(harness.deps, org, approver)
    await owner.patch(url(approver), { role: 'Deployer' })
    expect(await run.now()).toMatchObject({ phase: 'apply_queued', approved: true })
  })
})
