import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { announce } from '../../app/notifications/announce.ts'
import type { Announcement } from '../../domain/notifications/announcement.ts'
import { startNotificationRelay } from '../../worker/notification-relay.ts'
import type { Relay } from '../../worker/drain-queue.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../harness/webhook-receiver.ts'
import type { TestOrganization } from '../harness/test-organization.ts'

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

let made = 0
/** A channel of an organization of its own, with an address of its own. */
async function channel(kind = 'webhook', org?: TestOrganization) {
  const its = org ?? (await harness.organization())
  const owner = await its.user('Owner')
  made += 1
  const path = `/services/T0000/secret-token-${made}`
  harness.secrets.note('a channel’s address', `secret-token-${made}`)
  const body = { kind, name: `To ${kind} <&> 😀`, url: receiver.url(path), events: ['*'] }
  const answer = await owner.post('/api/notifications', body)
  expect(answer.statusCode, answer.body).toBe(201)
  const { id, secret } = answer.json().notification
  return { id, secret, org: its, owner, path }
}
const opened: Announcement = {
  event: 'anomaly.opened',
  subject: { kind: 'anomaly', id: 1, label: 'aws AmazonEC2' },
  title: 'AmazonEC2 <!channel> costs & more',
  lines: ['120 USD on 2026-11-01, 20 USD expected. [x](http://evil.example) <b>'],
  path: '/cost/anomalies/1',
  detail: { day: '2026-11-01', impact: 100 },
}
const tell = async ({ org }: { org: TestOrganization }, about: Partial<Announcement> = {}) =>
  harness.deps.store.tenant(org.id, async (tenant) => announce(tenant, { ...opened, ...about }))
const rows = (notificationId: number) =>
  harness.deps.store.platform('notification_deliveries').where({ notificationId }).orderBy('id')
const channelRow = async (id: number) =>
  harness.deps.store.platform('notifications').where({ id }).first()
const until = async (check: () => unknown) =>
  expect.poll(async () => Boolean(await check()), { timeout: 25_000, interval: 50 }).toBe(true)
const dueNow = async (notificationId: number) => {
  await rows(notificationId)
    .clone()
    .clearOrder()
    .update({ availableAt: new Date(0) })
  const channels = harness.deps.store.platform('notifications')
  await channels.where({ id: notificationId }).update({ retryAt: new Date(0), leasedUntil: null })
}

test('a webhook is signed as Standard Webhooks says, and sent once', async () => {
  const to = await channel()
  await tell(to)
  await until(() => receiver.received(to.path).length > 0)
  const [{ headers, body } = { headers: {}, body: '' }] = receiver.received(to.path)
  const verified = new Webhook(to.secret).verify(body, headers as Record<string, string>)
  expect(verified).toMatchObject({
    type: 'anomaly.opened',
    data: {
      organization: { id: to.org.id, slug: to.org.slug },
      subject: { kind: 'anomaly', id: '1', label: 'aws AmazonEC2' },
      severity: 'medium',
      url: `${harness.config.baseUrl}/cost/anomalies/1`,
      detail: { day: '2026-11-01', impact: 100 },
    },
  })
  expect(() => new Webhook(to.secret).verify(`${body} `, headers as never)).toThrow()
  await until(async () => (await rows(to.id))[0]?.outcome === 'sent')
  expect(await tell(to)).toBe(false)
  expect((await to.owner.get(`/api/notifications/${to.id}`)).json().notification).toMatchObject({
    state: 'working',
    lastStatus: 200,
    lastError: null,
  })
  expect(receiver.received(to.path)).toHaveLength(1)
})

test('sent again after a crash before it was noted, it has the same id and body', async () => {
  const to = await channel()
  await tell(to)
  await until(async () => (await rows(to.id))[0]?.outcome === 'sent')
  // As a worker leaves it that is killed between the answer and its note.
  await rows(to.id).clone().clearOrder().update({ endedAt: null, outcome: null })
  await dueNow(to.id)
  await until(() => receiver.received(to.path).length === 2)
  const [first, second] = receiver.received(to.path)
  expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
  expect(second?.body).toBe(first?.body)
})

test('a lease keeps a second worker from sending it meanwhile, and runs out after a crash', async () => {
  const to = await channel()
  const channels = harness.deps.store.platform('notifications').where({ id: to.id })
  await channels.clone().update({ leasedUntil: new Date(Date.now() + 3_000) })
  await tell(to)
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  expect(receiver.received(to.path)).toHaveLength(0)
  await until(() => receiver.received(to.path).length === 1)
})

test('a refused message is tried again; what the answer repeats of the address is not kept', async () => {
  const to = await channel()
  receiver.answer(to.path, (response, { path, headers }) => {
    response.statusCode = 500
    response.end(`no\r\n\u0000such hook ${path} ${headers['host']} ${'x'.repeat(9_000)}`)
  })
  await tell(to)
  await until(async () => (await rows(to.id))[0]?.lastError)
  const { notification } = (await to.owner.get(`/api/notifications/${to.id}`)).json()
  expect(notification).toMatchObject({ state: 'failing', lastStatus: 500 })
  expect(notification.lastError).toMatch(/^It answered 500: no such hook \/.*\[removed\]/)
  expect(notification.lastError.length).toBeLessThan(230)
  const [{ availableAt, attempts }] = await rows(to.id)
  expect(attempts).toBe(1)
  expect(availableAt > new Date()).toBe(true)
  receiver.answer(to.path, (response) => void response.end())
  await dueNow(to.id)
  await until(async () => (await rows(to.id))[0]?.outcome === 'sent')
  expect(await channelRow(to.id)).toMatchObject({ failures: 0, failingSince: null, isSlow: false })
})

test('a redirect is not followed, and an endless or unfinished answer ends the attempt', async () => {
  const [away, endless, silent] = [await channel(), await channel('slack'), await channel('teams')]
  const hidden = '/hidden'
  receiver.answer(away.path, (response) => {
    response.writeHead(302, { location: receiver.url(hidden) }).end()
  })
  receiver.answer(endless.path, (response) => {
    const more = setInterval(() => response.write('x'.repeat(65_536)), 1)
    response.once('close', () => clearInterval(more))
  })
  receiver.answer(silent.path, () => undefined)
  const began = Date.now()
  for (const to of [away, endless, silent]) await tell(to)
  await until(async () => (await rows(away.id))[0]?.lastError)
  expect((await rows(away.id))[0].lastError).toBe('It redirects (302), which is not followed.')
  expect(receiver.received(hidden)).toEqual([])
  await until(async () => (await rows(endless.id))[0]?.outcome === 'sent')
  expect(Date.now() - began).toBeLessThan(8_000)
  await until(async () => (await rows(silent.id))[0]?.lastError)
  expect((await rows(silent.id))[0].lastError).toBe('The host did not answer in time')
})

test('the dead receivers of one organization do not delay another’s messages', async () => {
  const org = await harness.organization()
  const dead = await Promise.all(Array.from({ length: 30 }, async () => channel('webhook', org)))
  for (const { path } of dead) receiver.answer(path, () => undefined)
  await tell({ org })
  await until(() => dead.some(({ path }) => receiver.received(path).length > 0))
  const well = await channel()
  const began = Date.now()
  await tell(well)
  await until(() => receiver.received(well.path).length > 0)
  expect(Date.now() - began).toBeLessThan(4_000)
  // Four of an organization at once, until they fail.
  expect(dead.filter(({ path }) => receiver.received(path).length > 0).length).toBeLessThan(9)
  for (const { id } of dead)
    await org.user('Owner').then(async (by) => by.delete(`/api/notifications/${id}`))
}, 60_000)

test('a message that one receiver refuses does not hold up the next one', async () => {
  const to = await channel()
  receiver.answer(to.path, (response, { body }) => {
    response.statusCode = body.includes('poison') ? 400 : 200
    response.end()
  })
  await tell(to, { title: 'poison' })
  await until(async () => (await rows(to.id))[0]?.lastError)
  await tell(to, { dedupeKey: '2' })
  const channels = harness.deps.store.platform('notifications').where({ id: to.id })
  await channels.clone().update({ retryAt: new Date(0) })
  await until(async () => (await rows(to.id))[1]?.outcome === 'sent')
  expect((await rows(to.id))[0].outcome).toBeNull()
})

test('after three days a message is given up; managers are told once of a channel that fails for long', async () => {
  const to = await channel()
  const bystander = await to.org.user('Deployer')
  receiver.answer(to.path, (response) => {
    response.statusCode = 503
    response.end('away')
  })
  await tell(to)
  await tell(to, { dedupeKey: '2' })
  await until(async () => (await channelRow(to.id)).failures >= 1)
  expect(harness.mails.filter(({ to: email }) => email === to.owner.email)).toEqual([])
  const { platform } = harness.deps.store
  await rows(to.id)
    .clone()
    .clearOrder()
    .update({ createdAt: platform.raw(`now() - interval '73 hours'`) })
  await platform('notifications')
    .where({ id: to.id })
    .update({ failingSince: platform.raw(`now() - interval '7 hours'`) })
  await dueNow(to.id)
  await until(async () => (await rows(to.id)).some(({ outcome }) => outcome === 'failed'))
  const { subject, text } = await harness.mailTo(to.owner.email)
  expect(subject).toContain('fails')
  expect(text).toContain('It answered 503: away')
  await dueNow(to.id)
  await until(async () => (await rows(to.id)).every(({ outcome }) => outcome === 'failed'))
  const told = await platform('mails').where({
    organizationId: to.org.id,
    kind: 'notification_failing',
  })
  expect(told.map(({ userId }) => userId)).toEqual([to.owner.id])
  expect(harness.mails.filter(({ to: email }) => email === bystander.email)).toEqual([])
})

test('410 disables the channel: what waits is dropped, it is audited, and managers are told once', async () => {
  const to = await channel()
  const { platform } = harness.deps.store
  const organization = platform('organizations').where({ id: to.org.id })
  receiver.answer(to.path, (response) => {
    response.statusCode = 410
    response.end('closed')
  })
  await organization.clone().update({ status: 'suspended' })
  await tell(to)
  await tell(to, { dedupeKey: '2' })
  await organization.clone().update({ status: 'active' })
  await until(async () => !(await channelRow(to.id)).enabled)
  const outcomes = async () => (await rows(to.id)).map(({ outcome }) => outcome)
  await until(async () => (await outcomes())[1])
  expect(await outcomes()).toEqual(['failed', 'moot'])
  const url = `/api/notifications/${to.id}`
  expect((await to.owner.get(url)).json().notification).toMatchObject({
    enabled: false,
    lastStatus: 410,
    lastError: 'Disabled because the address is gone. It answered 410: closed',
  })
  const { subject, text } = await harness.mailTo(to.owner.email)
  expect(subject).toContain('was disabled')
  expect(text).toContain('It answered 410: closed')
  const entries = await platform('audit_entries')
    .where({ organizationId: to.org.id, event: 'notification.updated' })
    .select('actorKind', 'targetId')
  expect(entries).toEqual([{ actorKind: 'system', targetId: String(to.id) }])
  await tell(to, { dedupeKey: '3' })
  expect(await rows(to.id)).toHaveLength(2)
  const kind = 'notification_disabled'
  expect(await platform('mails').where({ organizationId: to.org.id, kind })).toHaveLength(1)
  const resumed = await to.owner.patch(url, { enabled: true })
  expect(resumed.json().notification).toMatchObject({ state: 'untried', lastError: null })
})

test('a receiver is left alone until the date of its Retry-After', async () => {
  const [weekday, day, month, year, time] = new Date(Date.now() + 1_200_000)
    .toUTCString()
    .split(/,? /) as [string, string, string, string, string]
  const names: Record<string, string> = { Tue: 'Tues', Wed: 'Wednes', Thu: 'Thurs', Sat: 'Satur' }
  for (const date of [
    `${weekday}, ${day} ${month} ${year} ${time} GMT`,
    `${names[weekday] ?? weekday}day, ${day}-${month}-${year.slice(2)} ${time} GMT`,
    `${weekday} ${month} ${day.replace(/^0/, ' ')} ${time} ${year}`,
  ]) {
    const to = await channel()
    receiver.answer(to.path, (response) => response.writeHead(503, { 'retry-after': date }).end())
    await tell(to)
    await until(async () => (await channelRow(to.id)).failures > 0)
    const seconds = ((await channelRow(to.id)).retryAt.getTime() - Date.now()) / 1_000
    expect(seconds, date).toBeGreaterThan(1_100)
    expect(seconds, date).toBeLessThan(1_210)
  }
})

test('Slack and Teams get their own forms, with hostile texts as text', async () => {
  const [slack, teams] = [await channel('slack'), await channel('teams')]
  for (const to of [slack, teams]) await tell(to)
  await until(() => [slack, teams].every(({ path }) => receiver.received(path).length === 1))
  const [inSlack] = receiver.received(slack.path)
  expect(JSON.parse(inSlack?.body ?? '')).toMatchObject({
    text: 'AmazonEC2 &lt;!channel&gt; costs &amp; more',
    blocks: [{ type: 'section', text: { type: 'mrkdwn', verbatim: true } }, { type: 'context' }],
  })
  const [inTeams] = receiver.received(teams.path)
  const { type, attachments } = JSON.parse(inTeams?.body ?? '')
  expect(type).toBe('message')
  expect(attachments[0]).toMatchObject({
    contentType: 'application/vnd.microsoft.card.adaptive',
    content: { type: 'AdaptiveCard', actions: [{ type: 'Action.OpenUrl' }] },
  })
  expect(inTeams?.body).not.toContain('"TextBlock"')
})
