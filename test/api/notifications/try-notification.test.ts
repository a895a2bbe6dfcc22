import { afterAll, beforeAll, expect, test } from 'vitest'
import { announce } from '../../../app/notifications/announce.ts'
import type { Relay } from '../../../worker/drain-queue.ts'
import { startNotificationRelay } from '../../../worker/notification-relay.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../../harness/webhook-receiver.ts'

let harness: Harness
let receiver: WebhookReceiver
let relay: Relay
beforeAll(async () => {
  receiver = await startWebhookReceiver()
  harness = await createHarness({ env: { CC_PRIVATE_HOSTS: receiver.opened } })
  relay = startNotificationRelay(harness.deps)
})
afterAll(async () => {
  await relay.stop()
  await harness.close()
  await receiver.close()
})

const channel = async (body: object) => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const made = await owner.post('/api/notifications', { name: 'Own', events: ['*'], ...body })
  expect(made.statusCode, made.body).toBe(201)
  const { id } = made.json().notification
  return {
    org,
    owner,
    id,
    test: async () => (await owner.post(`/api/notifications/${id}/test`)).json(),
  }
}

test('200: a disabled channel is tried too, on the way of every message', async () => {
  const to = await channel({ kind: 'slack', url: receiver.url('/try'), enabled: false })
  expect(await to.test()).toEqual({
    ok: true,
    delivery: { state: 'sent', status: 200, error: null, recipients: null },
  })
  expect(receiver.received('/try')[0]?.body).toContain('Test of the notification Own')
})

test('200: a refusal is told at once', async () => {
  receiver.answer('/gone', (response) => {
    response.statusCode = 404
    response.end('no_service')
  })
  const to = await channel({ kind: 'slack', url: receiver.url('/gone') })
  expect((await to.test()).delivery).toEqual({
    state: 'failed',
    status: 404,
    error: 'It answered 404: no_service',
    recipients: null,
  })
})

test('200: a mail goes to whom the channel reaches, or to who tries a channel of owners alone', async () => {
  const all = await channel({ kind: 'email', recipients: { capability: 'read' } })
  const viewer = await all.org.user('Viewer')
  expect((await all.test()).delivery).toMatchObject({ state: 'waiting', recipients: 2 })
  expect((await harness.mailTo(viewer.email)).subject).toContain('Test of the notification Own')

  const owners = await channel({ kind: 'email', recipients: { owners: true }, enabled: false })
  const other = await owners.org.user('Viewer')
  expect((await owners.test()).delivery).toMatchObject({ recipients: 1 })
  await harness.mailTo(owners.owner.email)
  expect(harness.mails.filter(({ to }) => to === other.email)).toEqual([])
})

test('200: a failing channel is tried at once, before what waits for it, and once', async () => {
  const to = await channel({ kind: 'slack', url: receiver.url('/failing') })
  const { platform } = harness.deps.store
  const row = () => platform('notifications').where({ id: to.id })
  const sent = () =>
    receiver.received('/failing').map(({ body }) => (body.includes('Test of') ? 'test' : 'event'))
  receiver.answer('/failing', (response) => {
    response.statusCode = 500
    response.end('down')
  })
  await harness.deps.store.tenant(to.org.id, async (tenant) =>
    announce(tenant, {
      event: 'budget.exceeded',
      subject: { kind: 'budget', id: 1, label: 'Web' },
      title: 'The budget Web is exceeded',
    }),
  )
  await expect.poll(async () => (await row().first()).failures, { timeout: 20_000 }).toBe(1)
  const later = platform.raw(`now() + interval '1 hour'`)
  await row().update({ retryAt: later })
  await platform('notification_deliveries')
    .where({ notificationId: to.id })
    .update({ availableAt: platform.raw(`now() - interval '1 hour'`) })

  expect((await to.test()).delivery).toMatchObject({ state: 'failed', status: 500 })
  const [, tested] = await platform('notification_deliveries')
    .where({ notificationId: to.id })
    .orderBy('id')
  expect(tested).toMatchObject({ outcome: 'failed', attempts: 1 })
  expect(sent()).toEqual(['event', 'test'])

  receiver.answer('/failing', (response) => void response.end())
  await row().update({ retryAt: later, testedAt: null })
  expect((await to.test()).delivery).toMatchObject({ state: 'sent' })
  await expect.poll(sent, { timeout: 20_000 }).toEqual(['event', 'test', 'test', 'event'])
})

test('200: of a channel that reaches over 20 people, who tries it is mailed alone', async () => {
  const many = await channel({ kind: 'email', recipients: { capability: 'read' } })
  const { platform } = harness.deps.store
  for (let n = 0; n < 20; n += 1) await many.org.user('Viewer')
  expect((await many.test()).delivery).toMatchObject({ state: 'waiting', recipients: 1 })
  const mailed = await platform('mails').where({ organizationId: many.org.id, kind: 'notice' })
  expect(mailed.map(({ userId }) => userId)).toEqual([many.owner.id])
})

test('429: a channel of mails is tested once in ten seconds, by all together', async () => {
  const to = await channel({ kind: 'email', recipients: { capability: 'read' } })
  const second = await to.org.user('Owner')
  const url = `/api/notifications/${to.id}/test`
  const answers = await Promise.all([to.owner, second].map(async (by) => by.post(url)))
  expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([200, 429])
  const refused = await to.owner.post(url)
  expect(refused.json()).toMatchObject({ code: 'too_many_tests' })
  expect(refused.headers['retry-after']).toBe('10')
  const { platform } = harness.deps.store
  expect(await platform('mails').where({ organizationId: to.org.id })).toHaveLength(2)
  await platform('notifications')
    .where({ id: to.id })
    .update({ testedAt: platform.raw(`now() - interval '11 seconds'`) })
  expect((await to.owner.post(url)).statusCode).toBe(200)
})

test('404: another organization’s channel is not tried', async () => {
  const to = await channel({ kind: 'slack', url: receiver.url('/other') })
  const stranger = await (await harness.organization()).user('Owner')
  expect((await stranger.post(`/api/notifications/${to.id}/test`)).statusCode).toBe(404)
  expect(receiver.received('/other')).toEqual([])
})
