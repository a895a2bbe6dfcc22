import { afterAll, beforeAll, expect, test } from 'vitest'
import { hashPassword } from '../../../gateways/passwords/passwords.ts'
import { users } from '../../../store/users/users.ts'
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

const password = 'correct horse battery staple'

test('403: where single sign-on is required a password signs in Owners alone, and tells nobody else', async () => {
  const org = await harness.organization()
  const [owner, admin] = [await org.user('Owner'), await org.user('Org Admin')]
  const hash = await hashPassword(password)
  for (const { id } of [owner, admin])
    await harness.deps.store.tenant(org.id, async (db) => users(db, org.id).setPassword(id, hash))
  const logIn = async (email: string, secret = password) => {
    const payload = { email, password: secret }
    const answer = await second.app.inject({ method: 'POST', url: '/api/auth/login', payload })
    return [answer.statusCode, answer.json().code]
  }

  expect((await admin.patch('/api/org/sso', { requireSso: true })).statusCode).toBe(200)
  expect(await logIn(admin.email)).toEqual([403, 'sso_required'])
  // Only who knows the password is told.
  expect(await logIn(admin.email, 'not the password at all')).toEqual([401, 'invalid_credentials'])
  expect(await logIn(owner.email)).toEqual([200, undefined])
  await admin.patch('/api/org/sso', { requireSso: false })
  expect(await logIn(admin.email)).toEqual([200, undefined])
})
