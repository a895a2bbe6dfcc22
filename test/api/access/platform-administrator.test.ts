import { unwrap } from '../../../store/driver/tenant.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hashPassword } from '../../../gateways/passwords/passwords.ts'
import { users } from '../../../store/users/users.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

// Platform administrators have every capability in their own organization, whatever their role is.
test('a platform administrator who is a Viewer may do everything in their own organization', async () => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const administrator = await org.user('Viewer', { platformAdmin: true })
  const me = (await administrator.get('/api/auth/me')).json().user
  expect([me.role, me.capabilities]).toEqual([
    'Viewer',
    [
      'read',
      'mutate_infra',
      'manage_cloud_accounts',
      'manage_users_sso',
      'manage_billing_transfer',
    ],
  ])
  expect((await administrator.post('/api/workspaces', { name: 'w' })).statusCode).toBe(201)
  const demoted = await administrator.patch(`/api/org/users/${owner.id}`, { role: 'Viewer' })
  // A platform administrator does not count as an Owner, so the last Owner stays one.
  expect(demoted.json().code).toBe('last_owner')
  const body = { email: `o@${org.slug}.example`, name: 'O', role: 'Owner' }
  expect((await administrator.post('/api/org/users', body)).statusCode).toBe(201)
})

test('a platform administrator who transfers the ownership keeps their role', async () => {
  const password = 'correct horse battery staple'
  const passwordHash = await hashPassword(password)
  const org = await harness.organization()
  const heir = await org.user('Viewer')
  const administrator = await org.user('Viewer', { platformAdmin: true })
  await harness.deps.store.tenant(org.id, async (tenant) =>
    users(tenant).setPassword(administrator.id, passwordHash),
  )
  const payload = { userId: heir.id, password }
  const handed = await administrator.post('/api/org/transfer-ownership', payload)
  expect(handed.statusCode, handed.body).toBe(200)
  expect((await heir.get('/api/auth/me')).json().user.role).toBe('Owner')
  expect((await administrator.get('/api/auth/me')).json().user.role).toBe('Viewer')
})

test('403: a platform administrator’s token has only their role in the organization', async () => {
  const org = await harness.organization()
  const administrator = await org.user('Viewer', { platformAdmin: true })
  const asked = { name: 't', role: 'Org Admin' }
  expect((await administrator.post('/api/auth/tokens', asked)).statusCode).toBe(403)
  const headers = { authorization: `Bearer ${await administrator.token('Org Admin')}` }
  const answer = await harness.app.inject({
    method: 'POST',
    url: '/api/workspaces',
    headers,
    payload: { name: 'w' },
  })
  expect(answer.statusCode).toBe(403)
})

test('404: a platform administrator reads nothing of another organization', async () => {
  const administrator = await (await harness.organization()).user('Viewer', { platformAdmin: true })
  const other = await harness.organization()
  const workspace = await other.workspace()
  expect((await administrator.get(workspace.url)).statusCode).toBe(404)
  expect((await administrator.delete(workspace.url)).statusCode).toBe(404)
})

test('403: a removed platform administrator loses the capabilities at once', async () => {
  const org = await harness.organization()
  const administrator = await org.user('Viewer', { platformAdmin: true })
  await harness.deps.store.tenant(org.id, async (tenant) =>
    unwrap(tenant).db('users').where({ id: administrator.id }).update({ platformAdmin: false }),
  )
  expect((await administrator.post('/api/workspaces', { name: 'w' })).statusCode).toBe(403)
})

test('404: a token takes precedence over the cookie, and has no access to the platform routes', async () => {
  const administrator = await (await harness.organization()).user('Owner', { platformAdmin: true })
  const url = '/api/admin/organizations'
  expect((await administrator.get(url)).statusCode).toBe(200)
  const authorization = `Bearer ${await administrator.token()}`
  const both = await administrator.get(url, { headers: { authorization } })
  expect([both.statusCode, both.json()]).toEqual([404, { error: 'Not found', code: 'not_found' }])
})
