import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { discoverBills } from '../../../activities/finops/discover-bills.ts'
import { nextSources } from '../../../activities/finops/next-sources.ts'
import { takeBill } from '../../../activities/finops/take-bill.ts'
import { CloudFault } from '../../../gateways/clouds/cloud-fault.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { focusCsv } from '../../harness/finops/focus-csv.ts'
import { billReading, ingestSteps, type BillReading } from '../../harness/finops/ingest-steps.ts'

// Bills whose files the cloud writes for each reading, such as an export of BigQuery.

let harness: Harness
let reading: BillReading
let steps: Awaited<ReturnType<typeof ingestSteps>>
beforeAll(async () => {
  harness = await createHarness()
  reading = await billReading(harness)
})
afterAll(async () => {
  await reading?.close()
  await harness?.close()
})
beforeEach(async () => {
  steps = await ingestSteps(harness, reading)
  steps.cloud.unloads = true
  steps.cloud.months = { '2026-09': focusCsv('2026-09', [3, 4, 5]) }
})
const seen = [{ period: '2026-09-01', charges: 3, billed: 12, summed: 12 }]

test('what was written is read instead of the slice, and deleted', async () => {
  expect(await steps.ingest()).toMatchObject({ state: 'succeeded', rowsRead: 3 })
  expect(await steps.seen()).toEqual(seen)
  expect(steps.cloud.fetched).toEqual([
    expect.stringMatching(/^2026-09\/[0-9a-f-]{36}\/bill\.csv$/),
  ])
  expect([...steps.cloud.written]).toEqual([])
  // Of a month that did not change nothing is written.
  steps.cloud.fetched = []
  expect(await steps.ingest()).toMatchObject({ state: 'succeeded', recordsUpserted: 0 })
  expect(steps.cloud.fetched).toEqual([])
})

test('it is deleted where it cannot be fetched; the next attempt begins anew', async () => {
  const input = await steps.begin()
  const { sourceIds } = await steps.deliver(nextSources, input)
  const at = { ...input, sourceId: sourceIds[0] ?? 0 }
  const { sliceIds } = await steps.deliver(discoverBills, at)
  const bill = { ...at, sliceId: sliceIds[0] ?? 0 }
  steps.cloud.afterFetch = () => {
    throw new CloudFault('throttled', 'Google limits how often it may be called.')
  }
  await expect(steps.deliver(takeBill, bill)).rejects.toMatchObject({ code: 'cloud_throttled' })
  expect([...steps.cloud.written]).toEqual([])
  steps.cloud.afterFetch = () => undefined
  expect(await steps.deliver(takeBill, bill)).toMatchObject({ outcome: 'loaded' })
  expect([...steps.cloud.written]).toEqual([])
})
