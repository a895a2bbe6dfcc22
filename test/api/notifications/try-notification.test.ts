import { afterAll, beforeAll, expect, test } from 'vitest'
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

test('404: another organization’s channel is not tried', async () => {
  const to = await channel({ kind: 'slack', url: receiver.url('/other') })
  const stranger = await (await harness.organization()).user('Owner')
  expect((await stranger.post(`/api/notifications/${to.id}/test`)).statusCode).toBe(404)
  expect(receiver.received('/other')).toEqual([])
})
