import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { endBill } from '../../../activities/finops/end-bill.ts'
import { discoverBills } from '../../../activities/finops/discover-bills.ts'
import { startIngest } from '../../../app/finops/start-ingest.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { focusCsv } from '../../harness/finops/focus-csv.ts'
import { billReading, ingestSteps, type BillReading } from '../../harness/finops/ingest-steps.ts'

let harness: Harness
let reading: BillReading
let steps: Awaited<ReturnType<typeof ingestSteps>>
beforeAll(async () => {
  harness = await createHarness()
  reading = await billReading(harness)
})
afterAll(async () => {
  await reading.close()
  await harness.close()
})
beforeEach(async () => {
  steps = await ingestSteps(harness, reading)
  steps.cloud.months = { '2026-09': focusCsv('2026-09', [1, 'twelve']) }
})

const fetched = () => steps.cloud.fetched.splice(0).length

test('a refused bill is not fetched again by the next looks, and stays refused', async () => {
  const first = await steps.hourly()
  expect([first.state, fetched()]).toEqual(['failed', 1])
  for (const _ of [1, 2]) {
    const again = await steps.hourly()
    expect([again.state, fetched()]).toEqual(['failed', 0])
    const { errors, reason } = first.slices[0] ?? {}
    expect(again.slices).toMatchObject([{ state: 'refused', reason, errors, rowsRead: 0 }])
    expect(again.slices[0]).toMatchObject({ recordsRejected: 0, files: 1 })
  }
})

test('it is read again once its files changed, and then by the rules of a good bill', async () => {
  await steps.hourly()
  await steps.hourly()
  steps.cloud.months = { '2026-09': focusCsv('2026-09', [1, 2]) }
  expect(await steps.hourly()).toMatchObject({ state: 'succeeded', recordsUpserted: 2 })
  expect(fetched()).toBe(2)
  expect((await steps.hourly()).slices).toMatchObject([{ state: 'unchanged' }])
})

test('it is read again when a person asks, also one who joins an ingest that runs', async () => {
  await steps.hourly()
  await steps.ingest()
  expect(fetched()).toBe(2)

  const input = await steps.begin('schedule')
  const [source] = (await steps.shown(input.ingestId)).sources
  const at = { ...input, sourceId: source?.sourceId ?? 0 }
  expect((await steps.deliver(discoverBills, at)).sliceIds).toEqual([])
  const joined = await harness.deps.store.tenant(steps.organizationId, async (tenant) =>
    startIngest(tenant, { trigger: 'request' }),
  )
  expect(joined).toEqual({ ingestId: input.ingestId, joined: true })
  expect((await steps.deliver(discoverBills, at)).sliceIds).toHaveLength(1)
})

test('a value that PostgreSQL refuses is the fault of the files too', async () => {
  steps.cloud.months = { '2026-09': focusCsv('2026-09', [1, 2]) }
  const input = await steps.begin('schedule')
  const [source] = (await steps.shown(input.ingestId)).sources
  const at = { ...input, sourceId: source?.sourceId ?? 0 }
  const begun = await steps.deliver(discoverBills, at)
  await steps.deliver(endBill, { ...at, sliceId: begun.sliceIds[0] ?? 0, code: 'bill_refused' })
  expect(await steps.deliver(discoverBills, at)).toMatchObject({ sliceIds: [] })
})

test('what failed for another reason is read again at the next look', async () => {
  steps.cloud.months = { '2026-09': focusCsv('2026-09', [1, 2]) }
  for (const code of ['timed_out', 'bill_disk_full', 'cloud_unreachable', 'bill_too_large']) {
    const input = await steps.begin('schedule')
    const [source] = (await steps.shown(input.ingestId)).sources
    const at = { ...input, sourceId: source?.sourceId ?? 0 }
    const begun = await steps.deliver(discoverBills, at)
    expect(begun.sliceIds, code).toHaveLength(1)
    await steps.deliver(endBill, { ...at, sliceId: begun.sliceIds[0] ?? 0, code })
    await steps.close(input)
  }
  expect(await steps.hourly()).toMatchObject({ state: 'succeeded', recordsUpserted: 2 })
})
