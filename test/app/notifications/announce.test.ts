import { afterAll, beforeAll, expect, test } from 'vitest'
import { announce } from '../../../app/notifications/announce.ts'
import type { Announcement } from '../../../domain/notifications/announcement.ts'
import { sendDigestsTask } from '../../../worker/tasks/send-digests.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

const exceeded: Announcement = {
  event: 'budget.exceeded',
  subject: { kind: 'budget', id: 1, label: 'Web' },
  dedupeKey: '2026-11',
  title: 'The budget Web is exceeded',
  lines: ['1,200 USD of 1,000 USD are spent.'],
  path: '/cost/budgets',
}
const tell = async (org: TestOrganization, about: Announcement) =>
  harness.deps.store.tenant(org.id, async (tenant) => announce(tenant, about))
const table = (name: string, org: TestOrganization) =>
  harness.deps.store.platform(name).where({ organizationId: org.id })

test('an organization starts with one channel, which mails those who manage accounts', async () => {
  const org = await harness.organization()
  const [admin, deployer] = [await org.user('SRE · Cloud Admin'), await org.user('Deployer')]
  expect(await tell(org, exceeded)).toBe(true)
  const { subject, text } = await harness.mailTo(admin.email)
  expect(subject).toBe(`The budget Web is exceeded (${org.slug})`)
  expect(text).toContain('1,200 USD of 1,000 USD are spent.')
  expect(text).toContain(`${harness.config.baseUrl}/cost/budgets`)
  expect(harness.mails.filter(({ to }) => to === deployer.email)).toEqual([])
})

test('each event of a subject is told once, also of announcements at once', async () => {
  const org = await harness.organization()
  await org.user('Owner')
  const told = await Promise.all([1, 2, 3, 4].map(async () => tell(org, exceeded)))
  expect(told.filter(Boolean)).toHaveLength(1)
  expect(await table('mails', org)).toHaveLength(1)
  expect(await tell(org, { ...exceeded, dedupeKey: '2026-12' })).toBe(true)
  expect(await tell(org, { ...exceeded, event: 'budget.warn' })).toBe(true)
  expect(await table('notices', org)).toHaveLength(3)
})

test('what is rolled back tells nobody, and can be told later', async () => {
  const org = await harness.organization()
  await org.user('Owner')
  const failing = harness.deps.store.tenant(org.id, async (tenant) => {
    await announce(tenant, exceeded)
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(await table('mails', org)).toEqual([])
  expect(await tell(org, exceeded)).toBe(true)
  expect(await table('mails', org)).toHaveLength(1)
})

test('the people whose runs caused it are told, once, even if two reasons reach them', async () => {
  const org = await harness.organization()
  const [owner, author] = [await org.user('Owner'), await org.user('Deployer')]
  const stranger = await (await harness.organization()).user('Owner')
  await tell(org, { ...exceeded, userIds: [owner.id, author.id, stranger.id, 2_000_000_000] })
  const queued = await table('mails', org).orderBy('userId')
  expect(queued.map(({ userId }) => userId)).toEqual([owner.id, author.id])
})

test('less severe events wait for the digest at 08:00 UTC', async () => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  await tell(org, { ...exceeded, event: 'budget.warn' })
  expect(await table('mails', org)).toEqual([])
  const [reader] = await table('notice_readers', org)
  expect(reader).toMatchObject({ userId: owner.id, mailId: null })
  expect(reader.dueAt.toISOString()).toMatch(/T08:00:00.000Z$/)
  expect(reader.dueAt > new Date()).toBe(true)
  await tell(org, { ...exceeded, event: 'budget.warn', dedupeKey: 'x', severity: 'high' })
  expect(await table('mails', org)).toHaveLength(1)
})

test('a disabled channel, and one whose person lost the capability, mails nobody', async () => {
  const harnessMails = () => harness.mails.length
  const [org, other] = [await harness.organization(), await harness.organization()]
  await org.user('Owner')
  await table('notifications', org).update({ enabled: false })
  expect(await tell(org, exceeded)).toBe(true)
  expect(await table('mails', org)).toEqual([])

  const admin = await other.user('SRE · Cloud Admin')
  const before = harnessMails()
  await harness.deps.store
    .platform('organizations')
    .where({ id: other.id })
    .update({ status: 'suspended' })
  await tell(other, exceeded)
  await harness.deps.store
    .platform('role_grants')
    .where({ userId: admin.id })
    .update({ role: 'Viewer' })
  await harness.deps.store
    .platform('organizations')
    .where({ id: other.id })
    .update({ status: 'active' })
  await expect
    .poll(async () => (await table('mails', other)).map(({ outcome }) => outcome), {
      timeout: 20_000,
    })
    .toEqual(['moot'])
  expect(harnessMails()).toBe(before)
})

/** Channels of mails in place of the one that an organization starts with. */
async function mailing(org: TestOrganization, channels: Array<{ digest: string; to: object }>) {
  await table('notifications', org).delete()
  const added = await harness.deps.store
    .platform('notifications')
    .insert(
      channels.map(({ digest, to }, n) => ({
        organizationId: org.id,
        name: `Channel ${n}`,
        kind: 'email',
        recipients: JSON.stringify({ userIds: [], capability: null, owners: false, ...to }),
        events: '["*"]',
        digest,
      })),
    )
    .returning('id')
  return added.map(({ id }) => Number(id))
}
/** Between the event and its mail; of a suspended organization no mail is written. */
async function meanwhile(
  org: TestOrganization,
  about: Announcement,
  happens: () => Promise<unknown>,
) {
  const row = () => harness.deps.store.platform('organizations').where({ id: org.id })
  await row().update({ status: 'suspended' })
  await tell(org, about)
  await happens()
  await row().update({ status: 'active' })
}
const warned: Announcement = { ...exceeded, event: 'budget.warn' }
async function sendDigest(org: TestOrganization) {
  await table('notice_readers', org)
    .whereNotNull('dueAt')
    .update({ dueAt: new Date(0) })
  const { store, log } = harness.deps
  await sendDigestsTask({ store, log }).run()
}
const outcomes = async (org: TestOrganization) =>
  (await table('mails', org).orderBy('id')).map(({ kind, outcome }) => `${kind} ${outcome}`)
const ended = async (org: TestOrganization, ...expected: string[]) =>
  expect.poll(async () => outcomes(org), { timeout: 20_000 }).toEqual(expected)

test('a person whom two channels reach gets the mail of one that is left', async () => {
  for (const digest of ['immediate', 'daily'])
    for (const gone of [0, 1]) {
      const org = await harness.organization()
      const owner = await org.user('Owner')
      const ids = await mailing(org, [
        { digest, to: { userIds: [owner.id] } },
        { digest, to: { capability: 'read' } },
      ])
      const channel = table('notifications', org).where({ id: ids[gone] ?? 0 })
      await meanwhile(org, warned, async () =>
        gone === 0 ? channel.update({ enabled: false }) : channel.delete(),
      )
      await sendDigest(org)
      const { text } = await harness.mailTo(owner.email)
      expect(text.match(/The budget Web is exceeded\./g), `${digest} ${gone}`).toHaveLength(1)
      await ended(org, digest === 'daily' ? 'notice_digest sent' : 'notice sent')
    }
})

test('an event that is mailed at once is in no digest, unless no channel at once is left', async () => {
  for (const keeps of [true, false]) {
    const org = await harness.organization()
    const admin = await org.user('SRE · Cloud Admin')
    await mailing(org, [
      { digest: 'daily', to: { userIds: [admin.id] } },
      { digest: 'daily', to: { capability: 'read' } },
      { digest: 'immediate', to: { capability: 'manage_cloud_accounts' } },
    ])
    const grants = harness.deps.store.platform('role_grants').where({ userId: admin.id })
    await meanwhile(org, warned, async () => {
      if (!keeps) await grants.update({ role: 'Viewer' })
      // The digest is due before the mail is written.
      await sendDigest(org)
    })
    await ended(org, keeps ? 'notice sent' : 'notice moot')
    await sendDigest(org)
    await ended(org, ...(keeps ? ['notice sent'] : ['notice moot', 'notice_digest sent']))
    const { subject, text } = await harness.mailTo(admin.email)
    if (keeps) expect(subject).toContain('The budget Web is exceeded')
    else expect(text.match(/The budget Web is exceeded\./g)).toHaveLength(1)
  }
})

test('hostile texts stay one line of the mail, and long ones are cut', async () => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  await tell(org, {
    ...exceeded,
    title: `Spend\r\nBcc: someone@evil.example\r\n\r\n<b>${'x'.repeat(5_000)}`,
    lines: Array.from({ length: 100 }, () => 'a line\nwith a break 😀'),
    detail: { service: 'y'.repeat(50_000) },
  })
  const { subject, text, html } = await harness.mailTo(owner.email)
  expect(subject).not.toMatch(/[\r\n]/)
  expect(subject.length).toBeLessThanOrEqual(200)
  expect(text.match(/a line with a break 😀/g)).toHaveLength(20)
  expect(html).not.toContain('<b>')
  const [{ detail }] = await table('notices', org)
  expect(detail.service).toHaveLength(1_000)
})

test('an event reaches 300 channels in one transaction of less than a second', async () => {
  const org = await harness.organization()
  await org.user('Owner')
  const hook = { organizationId: org.id, kind: 'slack', url: Buffer.from('x'), urlShown: 'x' }
  const rows = Array.from({ length: 300 }, (_, n) => ({
    ...hook,
    name: `Channel ${n}`,
    // Of a channel whose lease never ends, nothing is sent.
    leasedUntil: new Date('2200-01-01'),
    events: JSON.stringify([n < 200 ? 'budget.*' : 'anomaly.*']),
    digest: 'immediate',
  }))
  await harness.deps.store.platform('notifications').insert(rows)
  const began = performance.now()
  expect(await tell(org, exceeded)).toBe(true)
  expect(performance.now() - began).toBeLessThan(1_000)
  expect(await table('notification_deliveries', org)).toHaveLength(200)
})
