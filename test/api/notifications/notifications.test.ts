import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../../harness/webhook-receiver.ts'
import type { TestUser } from '../../harness/test-user.ts'

let harness: Harness
let receiver: WebhookReceiver
beforeAll(async () => {
  receiver = await startWebhookReceiver()
  harness = await createHarness({ env: { CC_PRIVATE_HOSTS: receiver.opened } })
  harness.secrets.note('a channel’s address', 'very-secret-path')
})
afterAll(async () => {
  await harness.close()
  await receiver.close()
})

const people = async () => {
  const org = await harness.organization()
  return { org, admin: await org.user('SRE · Cloud Admin'), viewer: await org.user('Viewer') }
}
const hook = (change: object = {}) => ({
  name: 'Hook',
  kind: 'webhook',
  url: receiver.url('/very-secret-path'),
  events: ['*'],
  ...change,
})
const mail = (change: object = {}) => ({
  name: 'Mail',
  kind: 'email',
  recipients: { capability: 'read' },
  events: ['budget.*'],
  ...change,
})
const create = async (by: TestUser, body: object) => {
  const answer = await by.post('/api/notifications', body)
  expect(answer.statusCode, answer.body).toBe(201)
  return answer.json().notification
}
const events = async (organizationId: number) => {
  const entries = harness.deps.store.platform('audit_entries')
  const found = await entries
    .where({ organizationId })
    .whereLike('event', 'notification.%')
    .orderBy('id')
  return found.map(({ event }) => event)
}

describe('POST /api/notifications', () => {
  test('201: the secret is returned once, and the address shortened', async () => {
    const { org, admin, viewer } = await people()
    const made = await create(admin, hook())
    const { secret, ...rest } = made
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(rest).toMatchObject({
      kind: 'webhook',
      url: `http://127.0.0.1:${receiver.port}/…`,
      recipients: null,
      events: ['*'],
      scopeKind: null,
      minimumImpact: null,
      digest: 'immediate',
      enabled: true,
      state: 'untried',
    })
    const read = (await viewer.get(`/api/notifications/${made.id}`)).json().notification
    expect(read).toEqual(rest)
    const { notifications } = (await viewer.get('/api/notifications')).json()
    expect(notifications.map(({ name }: { name: string }) => name)).toEqual([
      'Cost and cloud accounts',
      'Hook',
    ])
    expect(await events(org.id)).toEqual(['notification.created'])
  })

  test('an organization starts with one channel: mails to those who manage accounts', async () => {
    const { viewer } = await people()
    const { notifications, nextCursor } = (await viewer.get('/api/notifications')).json()
    expect(nextCursor).toBeNull()
    expect(notifications).toMatchObject([
      {
        kind: 'email',
        recipients: { userIds: [], capability: 'manage_cloud_accounts', owners: true },
        events: ['*'],
        digest: 'daily',
        enabled: true,
      },
    ])
  })

  test.each([
    ['http://example.com/hook', 'address_not_allowed'],
    ['https://user:password@example.com/hook', 'address_not_allowed'],
    ['https://127.0.0.1/hook', 'address_not_allowed'],
    ['https://10.1.2.3/hook', 'address_not_allowed'],
    ['https://169.254.169.254/latest/meta-data', 'address_not_allowed'],
    ['https://[::1]/hook', 'address_not_allowed'],
    ['https://[::ffff:10.0.0.1]/', 'address_not_allowed'],
    ['https://2130706433/', 'address_not_allowed'],
    ['https://0x7f.1/', 'address_not_allowed'],
    ['https://localhost/hook', 'address_not_allowed'],
    ['ftp://example.com/hook', 'invalid'],
    ['javascript:alert(1)', 'invalid'],
    ['https://example.com/hook#part', 'invalid'],
    ['no address', 'invalid'],
  ])('400: the address %s', async (url, code) => {
    const { admin } = await people()
    const answer = await admin.post('/api/notifications', hook({ url }))
    expect(answer.statusCode).toBe(400)
    expect(answer.json()).toMatchObject({ code, details: [{ path: 'url' }] })
  })

  test.each([
    ['url', () => hook({ url: undefined })],
    ['recipients', () => hook({ recipients: { owners: true } })],
    ['url', () => mail({ url: 'https://example.com/' })],
    ['recipients', () => mail({ recipients: undefined })],
    ['recipients', () => mail({ recipients: { userIds: [] } })],
    ['digest', () => hook({ digest: 'daily' })],
    ['events.1', () => hook({ events: ['budget.*', 'budgte.*'] })],
    ['scopeValue', () => hook({ scopeKind: 'provider' })],
    ['scopeValue', () => hook({ scopeValue: 'aws' })],
    ['scopeValue', () => hook({ scopeKind: 'all', scopeValue: 'aws' })],
    ['scopeValue', () => hook({ scopeKind: 'tag', scopeValue: 'team' })],
    ['scopeValue', () => hook({ scopeKind: 'account', scopeValue: '999999999999' })],
    ['scopeValue', () => hook({ scopeKind: 'workspace', scopeValue: 'x' })],
    ['scopeValue', () => hook({ scopeKind: 'workspace', scopeValue: 0 })],
    ['minimumImpact', () => hook({ minimumImpact: 1e-13 })],
    ['name', () => hook({ name: 'a\r\nBcc: b@c.example' })],
    ['minimumImpact', () => hook({ minimumImpact: -1 })],
    ['secret', () => hook({ secret: 'whsec_mine' })],
  ])('400: %s is refused by name', async (path, body) => {
    const { admin } = await people()
    const answer = await admin.post('/api/notifications', body())
    expect(answer.statusCode).toBe(400)
    expect(answer.body).toContain(path)
  })

  test('404: a person, an account and a workspace of another organization', async () => {
    const { admin } = await people()
    const other = await people()
    const workspace = await other.org.workspace()
    for (const body of [
      mail({ recipients: { userIds: [admin.id, other.viewer.id] } }),
      hook({ scopeKind: 'workspace', scopeValue: String(workspace.id) }),
      hook({ scopeKind: 'account', scopeValue: '999999999' }),
    ])
      expect((await admin.post('/api/notifications', body)).statusCode).toBe(404)
  })

  test('403: members read and do not write; the denial is audited', async () => {
    const { org, admin, viewer } = await people()
    const { id } = await create(admin, mail())
    const deployer = await org.user('Deployer')
    for (const by of [viewer, deployer]) {
      expect((await by.post('/api/notifications', hook())).statusCode).toBe(403)
      expect((await by.patch(`/api/notifications/${id}`, { name: 'x' })).statusCode).toBe(403)
      expect((await by.delete(`/api/notifications/${id}`)).statusCode).toBe(403)
      expect((await by.post(`/api/notifications/${id}/test`)).statusCode).toBe(403)
    }
    const entries = harness.deps.store.platform('audit_entries').where({ organizationId: org.id })
    expect(await entries.where({ event: 'cloud.rbac_denied' })).not.toEqual([])
  })

  test('409: the 301st channel, also of requests at once', async () => {
    const { org, admin } = await people()
    const row = { organizationId: org.id, name: 'x', kind: 'email', digest: 'daily' }
    const rest = { recipients: { owners: true }, events: '["budget.warn"]' }
    const rows = Array.from({ length: 297 }, () => ({ ...row, ...rest }))
    await harness.deps.store.platform('notifications').insert(rows)
    const made = await Promise.all(
      Array.from({ length: 5 }, async () => admin.post('/api/notifications', mail())),
    )
    expect(made.filter(({ statusCode }) => statusCode === 201)).toHaveLength(2)
    expect(made.find(({ statusCode }) => statusCode === 409)?.json().code).toBe(
      'notification_limit',
    )
  })
})

describe('PATCH and DELETE /api/notifications/{id}', () => {
  test('200: what is sent changes, audited once; the same again changes nothing', async () => {
    const { org, admin } = await people()
    const { id } = await create(admin, mail())
    const change = {
      minimumImpact: 12.5,
      scopeKind: 'provider',
      scopeValue: 'aws',
      digest: 'daily',
    }
    for (const _ of [1, 2]) {
      const answer = await admin.patch(`/api/notifications/${id}`, change)
      expect(answer.json().notification).toMatchObject(change)
    }
    expect(await events(org.id)).toEqual(['notification.created', 'notification.updated'])
    const cleared = { minimumImpact: null, scopeKind: null, scopeValue: null }
    const answer = await admin.patch(`/api/notifications/${id}`, cleared)
    expect(answer.json().notification).toMatchObject(cleared)
  })

  test('201 and 200: a scope by number; another kind drops the value that it had', async () => {
    const { org, admin } = await people()
    const workspace = await org.workspace()
    const made = await create(admin, mail({ scopeKind: 'workspace', scopeValue: workspace.id }))
    expect(made).toMatchObject({ scopeKind: 'workspace', scopeValue: String(workspace.id) })
    const patch = async (change: object) => admin.patch(`/api/notifications/${made.id}`, change)
    const refused = await patch({ scopeKind: 'provider' })
    expect([refused.statusCode, refused.json().details?.[0].path]).toEqual([400, 'scopeValue'])
    for (const scopeKind of ['all', null]) {
      const cleared = await patch({ scopeKind })
      expect(cleared.json().notification).toMatchObject({ scopeKind, scopeValue: null })
      const again = await patch({ scopeKind: 'workspace', scopeValue: workspace.id })
      expect(again.statusCode, again.body).toBe(200)
    }
  })

  test('400: a changed address is checked too, and a kind stays', async () => {
    const { admin } = await people()
    const { id } = await create(admin, hook())
    const private_ = await admin.patch(`/api/notifications/${id}`, { url: 'https://192.168.0.1/' })
    expect(private_.json().code).toBe('address_not_allowed')
    expect((await admin.patch(`/api/notifications/${id}`, { kind: 'slack' })).statusCode).toBe(400)
  })

  test('200: deleted, it is gone with what waited for it', async () => {
    const { org, admin } = await people()
    const { id } = await create(admin, mail())
    expect((await admin.delete(`/api/notifications/${id}`)).statusCode).toBe(200)
    expect((await admin.get(`/api/notifications/${id}`)).statusCode).toBe(404)
    expect((await admin.delete(`/api/notifications/${id}`)).statusCode).toBe(404)
    expect(await events(org.id)).toEqual(['notification.created', 'notification.deleted'])
  })

  test('400: an unknown query parameter', async () => {
    const { admin } = await people()
    expect((await admin.get('/api/notifications?kind=webhook')).statusCode).toBe(400)
  })
})
