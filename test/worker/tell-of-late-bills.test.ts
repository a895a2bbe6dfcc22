import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { tellOfLateBillsTask } from '../../worker/tasks/tell-of-late-bills.ts'
import { connectedAccount } from '../harness/clouds/cloud-rows.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { dailyBills, levelCost } from '../harness/daily-bills.ts'
import type { TestUser } from '../harness/test-user.ts'

let harness: Harness
let organizationId: number
let owner: TestUser
let bills: ReturnType<typeof dailyBills>
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())
beforeEach(async () => {
  const org = await harness.organization()
  organizationId = org.id
  owner = await org.user('Owner')
  bills = dailyBills(harness.deps.store, org.id)
})

const run = async () => tellOfLateBillsTask(harness.deps).run()
const notices = async () =>
  harness.deps.store.platform('notices').where({ organizationId }).orderBy('id')
const day = (daysAgo: number) => {
  const { platform } = harness.deps.store
  return platform.raw(`(now() at time zone 'utc')::date - ?::integer`, [daysAgo])
}
/** A source of an account whose bill is complete through so many days ago; null before its first bill. */
const account = async (
  daysAgo: number | null,
  {
    provider = 'aws',
    billing = Buffer.from('sealed'),
  }: { provider?: 'aws' | 'gcp'; billing?: Buffer | null } = {},
) => {
  const cloudAccountId = await connectedAccount(harness, organizationId, provider)
  const { platform } = harness.deps.store
  await platform('cloud_accounts').where({ id: cloudAccountId }).update({ billing })
  const [source] = await platform('billing_sources')
    .insert({ organizationId, cloudAccountId })
    .returning('id')
  const sourceId = Number(source.id)
  if (daysAgo !== null) {
    await bills.load(sourceId, levelCost('2026-03-01', 3))
    await move(sourceId, daysAgo)
  }
  return { sourceId, cloudAccountId }
}
const move = async (sourceId: number, daysAgo: number) =>
  harness.deps.store
    .platform('billing_slices')
    .where({ sourceId, isCurrent: true })
    .update({ completeThrough: day(daysAgo) })

test('a bill more than five days late is told once, and again after it came in between', async () => {
  const { sourceId, cloudAccountId } = await account(6)
  await run()
  expect(await notices()).toEqual([])
  await move(sourceId, 7)
  await Promise.all([run(), run(), run()])
  await run()
  const [notice, ...more] = await notices()
  expect(more).toEqual([])
  expect(notice).toMatchObject({
    event: 'ingest.late',
    title: 'The bill of own is late',
    detail: { sourceId, cloudAccountId },
  })
  expect(notice.lines[0]).toMatch(/^It is complete through \d{4}-\d\d-\d\d only\.$/)
  // It comes, and stays behind by as much.
  await move(sourceId, 7)
  await run()
  expect(await notices()).toHaveLength(1)
  await move(sourceId, 1)
  await run()
  await move(sourceId, 8)
  await run()
  expect(await notices()).toHaveLength(2)
})

test('other providers have a day more, and an account whose bill never came counts from its connection', async () => {
  const google = await account(7, { provider: 'gcp' })
  const { sourceId } = await account(null)
  await run()
  expect(await notices()).toEqual([])
  await move(google.sourceId, 8)
  await harness.deps.store
    .platform('billing_sources')
    .where({ id: sourceId })
    .update({ createdAt: day(7) })
  await run()
  const lines = (await notices()).map((notice) => notice.lines[0])
  expect(lines).toHaveLength(2)
  expect(lines[1]).toBe('No bill of this account has come yet.')
})

test('no bill is expected of an upload, a disconnected account, or one without billing settings', async () => {
  const upload = await bills.source()
  await bills.load(upload, levelCost('2026-03-01', 3))
  await account(60, { billing: null })
  const { cloudAccountId } = await account(60)
  const { platform } = harness.deps.store
  await platform('cloud_accounts')
    .where({ id: cloudAccountId })
    .update({ disconnectedAt: new Date(), credentials: null })
  await run()
  expect(await notices()).toEqual([])
})

test('the mail says what the last look found', async () => {
  const { sourceId } = await account(30)
  const { platform } = harness.deps.store
  const [slice] = await platform('billing_slices').where({ sourceId }).select('ingestId')
  await platform('billing_ingest_sources').insert({
    organizationId,
    ingestId: slice.ingestId,
    sourceId,
    state: 'skipped',
    reason: 'The account is not healthy.',
  })
  await platform('notifications').where({ organizationId }).update({ digest: 'immediate' })
  await run()
  const { subject, text } = await harness.mailTo(owner.email)
  expect(subject).toContain('The bill of own is late')
  expect(text).toContain('At the last look: The account is not healthy.')
  expect(text).toContain(`${harness.config.baseUrl}/cost/bills`)
})
