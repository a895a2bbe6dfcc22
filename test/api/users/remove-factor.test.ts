import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rank, roles } from '../../../domain/access/roles.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestUser } from '../../harness/test-user.ts'
import { logIn, password, personWithCode } from '../sign-in/people.ts'

let harness: Harness
let platform: TestUser
beforeAll(async () => {
  harness = await createHarness()
  platform = await (await harness.organization()).user('Viewer', { platformAdmin: true })
})
afterAll(async () => harness.close())

const url = ({ id }: { id: number }) => `/api/org/users/${id}/mfa`
const codeIsAsked = async (email: string) =>
  (await logIn(harness.app, { email, password })).json().mfaRequired === true
const ofOwner = async (who: TestUser, organizationId: number, email: string) =>
  harness.app.inject({
    method: 'DELETE',
    url: `/api/admin/organizations/${organizationId}/owner-mfa`,
    headers: { cookie: `cc_session=${who.cookie}`, origin: harness.config.baseUrl ?? '' },
    payload: { email },
  })

describe('DELETE /api/org/users/{id}/mfa', () => {
  for (const role of roles)
    test(`by role: of a person who is ${role}`, async () => {
      const org = await harness.organization()
      for (const by of roles) {
        const { user } = await personWithCode(harness, { org, role })
        const answer = await (await org.user(by)).delete(url(user))
        const may = rank(by) >= rank('Org Admin') && rank(by) >= rank(role)
        expect([by, answer.statusCode]).toEqual([by, may ? 200 : 403])
        if (!may && rank(by) >= rank('Org Admin')) expect(answer.json().code).toBe('role_above_own')
        expect((await user.get('/api/auth/me')).statusCode).toBe(may ? 401 : 200)
      }
    })

  test('200: the password signs in again; sessions end, the user gets a mail, the audit log names the actor', async () => {
    const { org, user, email } = await personWithCode(harness)
    const owner = await org.user('Owner')
    expect(await codeIsAsked(email)).toBe(true)
    expect((await owner.delete(url(user))).json()).toEqual({ ok: true })
    expect(await codeIsAsked(email)).toBe(false)
    expect((await user.get('/api/auth/me')).statusCode).toBe(401)
    const mail = await harness.mailTo(email)
    expect(mail.subject).toBe(`Your second factor at ${org.slug} was removed`)
    expect(mail.text).toContain(owner.email)
    const { entries } = (await owner.get('/api/audit?event=org.user_mfa_removed')).json()
    expect(entries).toMatchObject([
      { actor: { id: owner.id }, target: { id: user.id }, detail: { sessionsEnded: 1 } },
    ])
  })

  test('403: the caller’s own second factor, and any by an API token', async () => {
    const { user } = await personWithCode(harness, { role: 'Owner' })
    const own = await user.delete(url(user))
    expect([own.statusCode, own.json().code]).toEqual([403, 'own_second_factor'])
    const token = await user.token()
    const answer = await harness.app.inject({
      method: 'DELETE',
      url: url(user),
      headers: { authorization: `Bearer ${token}` },
    })
    expect([answer.statusCode, answer.json().code]).toEqual([403, 'session_required'])
  })

  test('403: a platform administrator’s second factor, with any role', async () => {
    const { org, user } = await personWithCode(harness, { role: 'Viewer' })
    await harness.deps.store
      .platform('users')
      .where({ id: user.id })
      .update({ platformAdmin: true })
    expect((await (await org.user('Owner')).delete(url(user))).statusCode).toBe(403)
  })

  test('404 and 409: another organization’s user; a user without a second factor', async () => {
    const { org, user } = await personWithCode(harness)
    const stranger = await (await harness.organization()).user('Owner')
    expect((await stranger.delete(url(user))).json()).toEqual({
      error: 'Not found',
      code: 'not_found',
    })
    const answer = await (await org.user('Owner')).delete(url(await org.user('Viewer')))
    expect([answer.statusCode, answer.json().code]).toEqual([409, 'mfa_not_enabled'])
  })
})

describe('DELETE /api/admin/organizations/{id}/owner-mfa', () => {
  test('200: an Owner’s, by address; audited in their organization without the administrator’s id, and mailed', async () => {
    const { org, user, email } = await personWithCode(harness, { role: 'Owner' })
    const answer = await ofOwner(platform, org.id, email.toUpperCase())
    expect([answer.statusCode, answer.json()]).toEqual([200, { ok: true }])
    expect(await codeIsAsked(email)).toBe(false)
    expect((await user.get('/api/auth/me')).statusCode).toBe(401)
    expect((await harness.mailTo(email)).text).toContain(platform.email)
    const { entries } = (
      await (await org.user('Owner')).get('/api/audit?event=org.user_mfa_removed')
    ).json()
    expect(entries).toMatchObject([{ actor: { id: null, label: platform.email } }])
  })

  test('404: users who are not Owners, unknown addresses, and callers who are not platform administrators', async () => {
    const { org, email } = await personWithCode(harness, { role: 'Org Admin' })
    const owner = await personWithCode(harness, { org, role: 'Owner' })
    for (const [who, id, address] of [
      [platform, org.id, email],
      [platform, org.id, 'nobody@elsewhere.test'],
      [platform, platform.organizationId, owner.email],
      [platform, 2_147_483_647, owner.email],
      [owner.user, org.id, owner.email],
      [await org.user('Owner'), org.id, owner.email],
    ] as const) {
      const answer = await ofOwner(who, id, address)
      expect([answer.statusCode, answer.json().code]).toEqual([404, 'not_found'])
    }
    expect(await codeIsAsked(owner.email)).toBe(true)
  })

  test('403: the caller’s own', async () => {
    const { org, user, email } = await personWithCode(harness, { role: 'Owner' })
    await harness.deps.store
      .platform('users')
      .where({ id: user.id })
      .update({ platformAdmin: true })
    const answer = await ofOwner(user, org.id, email)
    expect([answer.statusCode, answer.json().code]).toEqual([403, 'own_second_factor'])
  })
})
