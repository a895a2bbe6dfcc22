import { unwrap } from '../../store/driver/tenant.ts'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { passwordTries } from '../../domain/access/try-subjects.ts'
import { cleanUp } from '../../store/platform/clean-up.ts'
import { mails } from '../../store/mails/mails.ts'
import { signInTries } from '../../store/platform/sign-in-tries.ts'
import { userTokens } from '../../store/users/user-tokens.ts'
import { startTasks } from '../../worker/run-tasks.ts'
import { cleanUpTask } from '../../worker/tasks/clean-up.ts'
import { connectedAccount } from '../harness/clouds/cloud-rows.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness({ mail: 'unsent' })
})
afterAll(async () => harness.close())

const count = async (table: string): Promise<number> => {
  const row = await harness.deps.store.platform(table).count('* as n').first()
  return Number(row?.['n'])
}

/** Of each kind one that is over and one that is not. */
async function fill() {
  const { store } = harness.deps
  const org = await harness.organization()
  const [one, two] = [await org.user('Viewer'), await org.user('Viewer')]
  const { platform } = store
  for (const email of [one.email, two.email]) await signInTries(platform).take(passwordTries(email))
  await platform('sign_in_failures')
    .where({ subject: passwordTries(one.email) })
    .update({ windowStartedAt: platform.raw(`now() - interval '31 minutes'`) })
  await platform('sessions')
    .where({ userId: one.id })
    .update({ expiresAt: platform.raw(`now() - interval '25 hours'`) })
  const minute = Math.floor(Date.now() / 60_000)
  await platform('request_counts').insert([
    { subject: `address ${one.id}`, minute: minute - 7, count: 1 },
    { subject: `address ${two.id}`, minute: minute + 1, count: 1 },
  ])
  const cloudAccountId = await connectedAccount(harness, org.id)
  await platform('cloud_syncs').insert(
    [31, 29].map((days) => ({
      organizationId: org.id,
      cloudAccountId,
      trigger: 'schedule',
      state: 'succeeded',
      endedAt: platform.raw('now() - make_interval(days => ?)', [days]),
    })),
  )
  await fillNotifications(org.id)
  await store.tenant(org.id, async (tenant) => {
    const { db } = unwrap(tenant)

    for (const [user, hours] of [
      [one, -25],
      [two, 1],
    ] as const)
      for (const purpose of ['invitation', 'password_reset', 'second_factor'] as const)
        await userTokens(tenant).create(user.id, purpose, {
          hash: Buffer.from(`${purpose}${user.id}`),
          hours,
        })
    for (const user of [one, two]) await mails(tenant).queue('password_reset', user.id, {})
    await db('mails')
      .where({ userId: one.id })
      .update({ outcome: 'sent', endedAt: db.raw(`now() - interval '31 days'`) })
    for (const [key, age] of [
      ['old', '25 hours'],
      ['new', '1 hour'],
    ] as const)
      await db('idempotency_keys').insert({
        organizationId: org.id,
        caller: 'x',
        key,
        requestHash: Buffer.from('x'),
        createdAt: db.raw(`now() - ?::interval`, [age]),
      })
  })
}

async function fillNotifications(organizationId: number) {
  const { platform } = harness.deps.store
  const ago = (days: number) => platform.raw('now() - make_interval(days => ?)', [days])
  const channel = { organizationId, name: 'x', kind: 'email', events: '["*"]', digest: 'daily' }
  const channels = [1, 2].map(() => ({ ...channel, recipients: { owners: true } }))
  const made = await platform('notifications').insert(channels).returning('id')
  const about = { organizationId, event: 'budget.warn', subjectKind: 'budget', subjectId: '1' }
  const text = {
    subjectLabel: 'x',
    severity: 'low',
    title: 'x',
    lines: '[]',
    path: '/',
    detail: {},
  }
  const notices = [401, 399].map((days) => ({
    ...about,
    ...text,
    dedupeKey: String(days),
    createdAt: ago(days),
  }))
  const [, { id: noticeId }] = await platform('notices').insert(notices).returning('id')
  await platform('notification_deliveries').insert(
    [31, 29].map((days, at) => ({
      organizationId,
      notificationId: made[at].id,
      noticeId,
      outcome: 'sent',
      endedAt: ago(days),
    })),
  )
}

const tables = [
  'sign_in_failures',
  'sessions',
  'request_counts',
  'mails',
  'cloud_syncs',
  'notices',
  'notification_deliveries',
  'idempotency_keys',
]

test('the worker deletes what is over of every kind, and nothing else', async () => {
  await fill()
  const { log } = harness.deps
  const tasks = startTasks([cleanUpTask(harness.deps)], { registry: new Registry(), log })
  const deadline = Date.now() + 20_000
  while ((await count('idempotency_keys')) > 1 && Date.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 50))
  for (const table of tables)
    await expect.poll(async () => count(table), { message: table, timeout: 20_000 }).toBe(1)
  await tasks.stop()
  expect(await count('user_tokens')).toBe(3)
})

test('no statement deletes more than its share, and it says that there is more', async () => {
  for (let n = 0; n < 3; n += 1) await fill()
  const { platform } = harness.deps.store
  const before = await count('sessions')
  expect(await cleanUp(platform, 2)).toBe(true)
  expect(await count('sessions')).toBe(before - 2)
  while (await cleanUp(platform, 2));
  for (const table of tables) expect(await count(table), table).toBe(4)
  expect(await count('user_tokens')).toBe(12)
})
