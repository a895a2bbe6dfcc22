import { afterAll, beforeAll, expect, test } from 'vitest'
import { announce } from '../../app/notifications/announce.ts'
import { RowsFailed } from '../../app/platform/each-by-itself.ts'
import { sendDigestsTask } from '../../worker/tasks/send-digests.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import type { TestOrganization } from '../harness/test-organization.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

const table = (name: string, org: TestOrganization) =>
  harness.deps.store.platform(name).where({ organizationId: org.id })
const warn = async (org: TestOrganization, name: string) =>
  harness.deps.store.tenant(org.id, async (tenant) =>
    announce(tenant, {
      event: 'budget.warn',
      subject: { kind: 'budget', id: name, label: name },
      title: `The budget ${name} is at 80 %`,
      lines: ['800 USD of 1,000 USD.'],
    }),
  )
const send = async (store = harness.deps.store) =>
  sendDigestsTask({ store, log: harness.deps.log }).run()
const due = async (org: TestOrganization) =>
  table('notice_readers', org).update({ dueAt: new Date(0) })

test('one mail a person with all events, however many workers send; nothing before it is due', async () => {
  const org = await harness.organization()
  const people = [await org.user('Owner'), await org.user('SRE · Cloud Admin')]
  await warn(org, 'Web')
  await warn(org, 'Data')
  await send()
  expect(await table('mails', org)).toEqual([])
  await due(org)
  await Promise.all([send(), send(), send()])
  await send()
  const queued = await table('mails', org).orderBy('userId')
  expect(queued.map(({ userId, kind }) => [userId, kind])).toEqual(
    people.map(({ id }) => [id, 'notice_digest']),
  )
  for (const { email } of people) {
    const { subject, text } = await harness.mailTo(email)
    expect(subject).toBe(`Daily digest of ${org.slug}: 2 events`)
    expect(text).toContain('The budget Web is at 80 %. 800 USD of 1,000 USD.')
    expect(text).toContain('The budget Data is at 80 %.')
  }
})

test('nothing is sent where nothing happened, or where the channel is gone', async () => {
  const [quiet, gone] = [await harness.organization(), await harness.organization()]
  await quiet.user('Owner')
  const owner = await gone.user('Owner')
  await warn(gone, 'Web')
  await due(gone)
  const [{ id }] = await table('notifications', gone)
  expect((await owner.delete(`/api/notifications/${id}`)).statusCode).toBe(200)
  await send()
  expect([...(await table('mails', quiet)), ...(await table('mails', gone))]).toEqual([])
})

test('a suspended organization waits, and one that fails delays no other', async () => {
  const [suspended, bad, good] = [
    await harness.organization(),
    await harness.organization(),
    await harness.organization(),
  ]
  for (const org of [suspended, bad, good]) {
    await org.user('Owner')
    await warn(org, 'Web')
    await due(org)
  }
  const { store } = harness.deps
  await store.platform('organizations').where({ id: suspended.id }).update({ status: 'suspended' })
  const failing: typeof store = {
    ...store,
    async tenant(organizationId, work) {
      if (organizationId === bad.id) throw new Error('no')
      return store.tenant(organizationId, work)
    },
  }
  await expect(send(failing)).rejects.toEqual(new RowsFailed(1))
  expect(await table('mails', good)).toHaveLength(1)
  expect(await table('mails', suspended)).toEqual([])
  await send()
  expect(await table('mails', bad)).toHaveLength(1)
})
