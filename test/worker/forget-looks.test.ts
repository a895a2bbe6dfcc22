import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { swapSlice } from '../../app/finops/swap-slice.ts'
import { forgetLooks } from '../../store/platform/forget-looks.ts'
import { forgetChargesTask } from '../../worker/tasks/forget-charges.ts'
import { forgetLooksTask } from '../../worker/tasks/forget-looks.ts'
import { testBills } from '../harness/bills.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'

let harness: Harness
let bills: ReturnType<typeof testBills>
let organizationId: number
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())
beforeEach(async () => {
  organizationId = (await harness.organization()).id
  bills = testBills(harness.deps.store, organizationId)
})

const run = async () => forgetLooksTask(harness.deps).run()
const ids = async (table: string): Promise<number[]> => {
  const key = table === 'billing_ingest_sources' ? 'ingestId' : 'id'
  const rows = await harness.deps.store.platform(table).where({ organizationId }).orderBy(key)
  return rows.map((row) => row[key])
}
const ingest = async (days: number, sources: Array<[sourceId: number, state: string]> = []) => {
  const [row] = await bills.ask(
    `insert into billing_ingests (organization_id, trigger, state, started_at, ended_at)
     values (:organizationId, 'schedule', 'succeeded', now() - make_interval(days => :days),
       now() - make_interval(days => :days)) returning id`,
    { days },
  )
  const ingestId = Number(row?.['id'])
  for (const [sourceId, state] of sources)
    await bills.ask(
      `insert into billing_ingest_sources (organization_id, ingest_id, source_id, state)
       values (:organizationId, :ingestId, :sourceId, :state)`,
      { ingestId, sourceId, state },
    )
  return ingestId
}
const look = async (
  at: { ingestId: number; sourceId: number },
  state: string,
  { days = 100, period = '2026-03-01' }: { days?: number; period?: string | null } = {},
) => {
  const [row] = await bills.ask(
    `insert into billing_slices (organization_id, ingest_id, source_id, period, state, began_at)
     values (:organizationId, :ingestId, :sourceId, :period, :state, now() - make_interval(days => :days))
     returning id`,
    { ...at, state, days, period },
  )
  return Number(row?.['id'])
}

test('looks past their time go, and the newest of each month stays', async () => {
  const sourceId = await bills.source()
  const at = { sourceId, ingestId: await ingest(100, [[sourceId, 'failed']]) }
  await look(at, 'refused')
  await look(at, 'superseded')
  const newest = await look(at, 'refused')
  await look(at, 'unchanged')
  await look(at, 'waiting')
  const other = await look(at, 'discarded', { period: '2026-04-01' })
  await look(at, 'refused', { period: null })
  const recent = await look(at, 'unchanged', { days: 89 })
  // One that is being read may come to nothing: what is known stays.
  const reading = await look(at, 'reading')
  expect(await run()).toBe('done')
  expect(await ids('billing_slices')).toEqual([newest, other, recent, reading])
  await run()
  expect(await ids('billing_slices')).toEqual([newest, other, recent, reading])
})

test('what readers see stays however old it is, and its ingest with it', async () => {
  const sourceId = await bills.source()
  const charges = (count: number) =>
    Array.from({ length: count }, () => ({ digest: randomUUID(), resource_id: 'r' }))
  const swap = async (sliceId: number) => swapSlice(harness.deps.store, { organizationId, sliceId })
  const replaced = await bills.reading(sourceId, charges(1))
  await swap(replaced.id)
  const current = await bills.reading(sourceId, charges(9))
  await swap(current.id)
  const suspect = await bills.reading(sourceId, charges(1))
  expect(await swap(suspect.id)).toBe('suspect')
  await bills.ask(`update billing_slices set began_at = now() - interval '1 year'
    where organization_id = :organizationId`)
  await bills.ask(`update billing_ingests set ended_at = now() - interval '1 year'
    where organization_id = :organizationId`)
  await run()
  // Its charges are deleted first.
  expect(await ids('billing_slices')).toEqual([replaced.id, current.id, suspect.id])
  while ((await forgetChargesTask(harness.deps).run()) === 'more');
  await run()
  expect(await ids('billing_slices')).toEqual([current.id, suspect.id])
  expect(await ids('billing_ingests')).toEqual([current.ingestId, suspect.ingestId])
  expect(await bills.seen()).toHaveLength(1)
})

test('ingests past their time go with their sources, and the newest of each source stays', async () => {
  const [one, two] = [await bills.source(), await bills.source()]
  await ingest(120, [
    [one, 'loaded'],
    [two, 'unchanged'],
  ])
  const ofTwo = await ingest(110, [
    [one, 'unchanged'],
    [two, 'unchanged'],
  ])
  const ofOne = await ingest(100, [
    [one, 'failed'],
    [two, 'skipped'],
  ])
  await ingest(99, [[two, 'skipped']])
  const recent = await ingest(89, [[two, 'skipped']])
  await ingest(95)
  expect(await run()).toBe('done')
  expect(await ids('billing_ingests')).toEqual([ofTwo, ofOne, recent])
  expect(await ids('billing_ingest_sources')).toEqual([ofTwo, ofTwo, ofOne, ofOne, recent])
})

test('in parts: no statement deletes more than its limit, and two workers at once do no more', async () => {
  const sources = await Promise.all(Array.from({ length: 7 }, async () => bills.source()))
  for (const days of [130, 120, 110])
    await ingest(
      days,
      sources.map((id) => [id, 'unchanged']),
    )
  const newest = await ingest(
    91,
    sources.map((id) => [id, 'unchanged']),
  )
  const { platform } = harness.deps.store
  expect(await forgetLooks(platform, 5)).toBe(true)
  expect(await ids('billing_ingest_sources')).toHaveLength(4 * 7 - 5)
  for (let left = 20; left > 0; left -= 1)
    if (!(await Promise.all([forgetLooks(platform, 5), forgetLooks(platform, 5)])).some(Boolean))
      break
  expect(await ids('billing_ingests')).toEqual([newest])
  expect(await ids('billing_ingest_sources')).toHaveLength(7)
})
