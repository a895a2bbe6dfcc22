import { unwrap } from '../../../store/driver/tenant.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => {
  await harness.close()
})

const password = 'correct horse battery'
const accept = async (token: string) =>
  harness.app.inject({
    method: 'POST',
    url: '/api/auth/invitations/accept',
    payload: { token, password },
  })
const linkIn = (text: string) => /#([\w-]{43})$/m.exec(text)?.[1] ?? ''

async function invite() {
  const org = await harness.organization()
  const admin = await org.user('Org Admin')
  const email = `late@${org.slug}.example`
  const made = await admin.post('/api/org/users', { email, name: 'Late', role: 'Deployer' })
  const url = `/api/org/users/${made.json().user.id}/invitation`
  const first = linkIn((await harness.mailTo(email)).text)
  return { org, admin, email, made, url, first }
}

describe('POST /api/org/users/{id}/invitation', () => {
  test('200: a new link is mailed, and the old link stops working', async () => {
    const { org, admin, email, made, url, first } = await invite()
    expect(made.json().user.invited).toBe(true)
    const again = await admin.post(url)
    expect(again.statusCode, again.body).toBe(200)
    expect(again.json()).toEqual({
      ok: true,
      user: made.json().user,
      mailed: false,
    })
    const second = linkIn((await harness.mailTo(email, 1)).text)
    expect(second).not.toBe(first)
    expect((await accept(first)).json().code).toBe('invitation_invalid')
    expect((await accept(second)).statusCode).toBe(200)
    const [entry] = await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant)
        .db('audit_entries')
        .where({ event: 'org.user_invited' })
        .orderBy('id', 'desc')
        .limit(1),
    )
    expect(entry).toMatchObject({ actorId: admin.id, detail: { role: 'Deployer', again: true } })
    const person = await admin.get(`/api/org/users/${made.json().user.id}`)
    expect(person.json().user.invited).toBe(false)
  })

  test('409: a user who has signed in, or is deactivated, is not invited', async () => {
    const { admin, made, url, first } = await invite()
    expect((await accept(first)).statusCode).toBe(200)
    expect((await admin.post(url)).json().code).toBe('invitation_accepted')
    await admin.patch(`/api/org/users/${made.json().user.id}`, { active: false })
    expect((await admin.post(url)).json().code).toBe('user_inactive')
  })

  test('403 and 404: a user above the caller’s role, and a user of another organization', async () => {
    const { org, admin, url } = await invite()
    const owner = await org.user('Owner')
    const email = `heir@${org.slug}.example`
    const heir = await owner.post('/api/org/users', { email, name: 'Heir', role: 'Owner' })
    const of = `/api/org/users/${heir.json().user.id}/invitation`
    expect((await admin.post(of)).json().code).toBe('role_above_own')
    expect((await owner.post(of)).statusCode).toBe(200)
    const stranger = await (await harness.organization()).user('Owner')
    expect((await stranger.post(url)).statusCode).toBe(404)
    expect((await (await org.user('Deployer')).post(url)).statusCode).toBe(403)
  })
})
