import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startNotificationRelay } from '../../../worker/notification-relay.ts'
import type { Relay } from '../../../worker/drain-queue.ts'
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

const webhook = async (path: string) => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const body = { name: 'Hook', kind: 'webhook', events: ['*'], url: receiver.url(path) }
  const { id, secret } = (await owner.post('/api/notifications', body)).json().notification
  const { platform } = harness.deps.store
  const row = () => platform('notifications').where({ id })
  /** The keys that verify a message which is sent now. */
  const verifying = async (...keys: string[]) => {
    await row().update({ testedAt: null })
    const answer = await owner.post(`/api/notifications/${id}/test`)
    expect(answer.json().delivery).toMatchObject({ state: 'sent' })
    const { headers, body: sent } = receiver.received(path).at(-1) ?? { headers: {}, body: '' }
    return keys.map((key) => {
      try {
        return Boolean(new Webhook(key).verify(sent, headers as Record<string, string>))
      } catch {
        return false
      }
    })
  }
  return { org, owner, row, verifying, first: String(secret), url: `/api/notifications/${id}` }
}

test('200: a new secret, once; the old one signs too for 24 hours, and is not kept longer', async () => {
  const { org, owner, row, verifying, first, url } = await webhook('/rotated')
  const answer = await owner.post(`${url}/secret`)
  expect(answer.statusCode, answer.body).toBe(200)
  const { secret } = answer.json()
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect((await owner.get(url)).body).not.toContain('whsec_')
  expect(await verifying(first, secret)).toEqual([true, true])
  const { platform } = harness.deps.store
  const hours = platform.raw('extract(epoch from old_secret_until - now()) / 3600 as hours')
  expect(Number((await row().first(hours)).hours)).toBeCloseTo(24, 1)
  const entries = platform('audit_entries').where({ organizationId: org.id })
  expect(await entries.where({ event: 'notification.secret_rotated' })).toHaveLength(1)

  await row().update({ oldSecretUntil: platform.raw(`now() - interval '1 second'`) })
  expect(await verifying(first, secret)).toEqual([false, true])
  await expect.poll(async () => (await row().first()).oldSecret, { timeout: 20_000 }).toBeNull()
})

test('409 and 403: a channel without a secret; who may not change channels', async () => {
  const { org, owner, first, url, verifying } = await webhook('/kept')
  const body = { name: 'Mail', kind: 'email', recipients: { owners: true }, events: ['*'] }
  const { id } = (await owner.post('/api/notifications', body)).json().notification
  const refused = await owner.post(`/api/notifications/${id}/secret`)
  expect([refused.statusCode, refused.json().code]).toEqual([409, 'no_secret'])
  expect((await (await org.user('Deployer')).post(`${url}/secret`)).statusCode).toBe(403)
  expect(await verifying(first)).toEqual([true])
})
