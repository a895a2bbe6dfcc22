import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { discoverBills } from '../../../activities/finops/discover-bills.ts'
import { endIngest } from '../../../activities/finops/end-ingest.ts'
import { takeBill } from '../../../activities/finops/take-bill.ts'
import { unavailable } from '../../../domain/errors.ts'
import { CloudFault } from '../../../gateways/clouds/cloud-fault.ts'
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
  steps.cloud.months = {
    '2026-08': focusCsv('2026-08', [1, 2]),
    '2026-09': focusCsv('2026-09', [3, 4, 5]),
  }
})

const both = [
  { period: '2026-08-01', charges: 2, billed: 3, summed: 3 },
  { period: '2026-09-01', charges: 3, billed: 12, summed: 12 },
]
const left = () => readdirSync(reading.billingDir)

describe('an ingest', () => {
  test('each step called twice is as good as once, and leaves no files', async () => {
    const first = await steps.ingest(2)
    expect(first).toMatchObject({ state: 'succeeded', rowsRead: 5, recordsUpserted: 5 })
    expect(await steps.seen()).toEqual(both)
    expect(left()).toEqual([])
  })

  test('unchanged: nothing is fetched; a restated month alone is read again', async () => {
    await steps.ingest()
    steps.cloud.fetched = []
    const second = await steps.ingest(2)
    expect(second).toMatchObject({ state: 'succeeded', recordsUpserted: 0 })
    expect(second.slices.map(({ state }) => state)).toEqual(['unchanged', 'unchanged'])
    expect(steps.cloud.fetched).toEqual([])

    steps.cloud.months['2026-09'] = focusCsv('2026-09', [3, 4, 6])
    expect(await steps.ingest()).toMatchObject({ state: 'succeeded', recordsUpserted: 1 })
    expect(steps.cloud.fetched).toEqual(['2026-09/bill.csv'])
    expect((await steps.seen())[1]).toMatchObject({ billed: 13, summed: 13 })
  })

  test('a bill that cannot be read leaves the old numbers, and the other month is loaded', async () => {
    await steps.ingest()
    steps.cloud.months = {
      '2026-08': focusCsv('2026-08', [1, 'twelve']),
      '2026-09': focusCsv('2026-09', [3, 4, 6]),
    }
    const ended = await steps.ingest(2)
    expect(ended).toMatchObject({ state: 'partial', sources: [{ state: 'partial' }] })
    expect(ended.slices.map(({ state }) => state)).toEqual(['refused', 'loaded'])
    const place = { file: '2026-08/bill.csv', row: 2, column: 'BilledCost' }
    expect(ended.slices[0]?.errors[0]).toMatchObject(place)
    expect((await steps.seen()).map(({ billed }: { billed: number }) => billed)).toEqual([3, 13])
  })

  test('a month without a manifest waits, which is no fault', async () => {
    steps.cloud.waiting.add('2026-09')
    const ended = await steps.ingest(2)
    expect(ended.state).toBe('succeeded')
    expect(ended.slices.map(({ state }) => state)).toEqual(['loaded', 'waiting'])
  })
})

describe('a crash', () => {
  test('between the load and the swap: loaded anew, and no charge is there twice', async () => {
    const input = await steps.begin()
    const [source] = (await steps.shown(input.ingestId)).sources
    const at = { ...input, sourceId: source?.sourceId ?? 0 }
    const { sliceIds } = await steps.deliver(discoverBills, at)
    for (const sliceId of sliceIds) await steps.deliver(takeBill, { ...at, sliceId })
    await steps.deliver(endIngest, { ...input, code: 'ingest_lost' })
    expect(await steps.seen()).toEqual([])
    expect((await steps.shown(input.ingestId)).state).toBe('failed')
    expect(await steps.ingest()).toMatchObject({ state: 'succeeded', recordsUpserted: 5 })
    expect(await steps.seen()).toEqual(both)
  })

  test('after the fetch: the next attempt has the files, and an attempt at the same time waits', async () => {
    const input = await steps.begin()
    const [source] = (await steps.shown(input.ingestId)).sources
    const at = { ...input, sourceId: source?.sourceId ?? 0 }
    const { sliceIds } = await steps.deliver(discoverBills, at)
    const bill = { ...at, sliceId: sliceIds[0] ?? 0 }
    const readBills = async () => {
      await expect(steps.deliver(takeBill, bill)).rejects.toMatchObject({
        code: 'bill_folder_taken',
      })
      throw unavailable('reader_lost', 'killed by the test')
    }
    await expect(steps.deliver(takeBill, bill, { readBills })).rejects.toThrow('killed')
    expect(left()).toHaveLength(1)
    expect(await steps.deliver(takeBill, bill)).toMatchObject({ outcome: 'loaded' })
    expect(left()).toEqual([])
  })
})

describe('a full disk', () => {
  const beginBill = async () => {
    const input = await steps.begin()
    const [source] = (await steps.shown(input.ingestId)).sources
    const at = { ...input, sourceId: source?.sourceId ?? 0 }
    const { sliceIds } = await steps.deliver(discoverBills, at)
    return { ...at, sliceId: sliceIds[0] ?? 0 }
  }
  const noRoom = { fault: 'conflict', code: 'bill_disk_full' }

  test('while the bill is read is said, tried no further, and leaves no files', async () => {
    const bill = await beginBill()
    // As a file is copied into the work folder of the reader.
    const readBills = async () => {
      throw Object.assign(new Error('ENOSPC: no space left on device, copyfile'), {
        code: 'ENOSPC',
      })
    }
    await expect(steps.deliver(takeBill, bill, { readBills })).rejects.toMatchObject(noRoom)
    expect(left()).toEqual([])
    expect(await steps.deliver(takeBill, bill)).toMatchObject({ outcome: 'loaded' })
  })

  test.skipIf(process.getuid?.() !== 0)('before the bill has a folder is said too', async () => {
    const bill = await beginBill()
    const disk = mkdtempSync(join(tmpdir(), 'cc-full-'))
    onTestFinished(() => rmSync(disk, { recursive: true, force: true }))
    try {
      // Its root is the only file that there is room for.
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'nr_inodes=1', 'tmpfs', disk])
    } catch {
      return
    }
    onTestFinished(() => void execFileSync('umount', ['-l', disk]))
    const taken = steps.deliver(takeBill, bill, { billingDir: disk })
    await expect(taken).rejects.toMatchObject(noRoom)
  })
})

test('an export that changes while it is fetched is looked at again', async () => {
  const input = await steps.begin()
  const [source] = (await steps.shown(input.ingestId)).sources
  const at = { ...input, sourceId: source?.sourceId ?? 0 }
  const { sliceIds } = await steps.deliver(discoverBills, at)
  steps.cloud.beforeFetch = () => {
    steps.cloud.months['2026-08'] = focusCsv('2026-08', [7])
  }
  const bill = { ...at, sliceId: sliceIds[0] ?? 0 }
  expect(await steps.deliver(takeBill, bill)).toEqual({ outcome: 'changed', sliceIds: [] })
  expect(await steps.deliver(takeBill, bill)).toEqual({ outcome: 'changed', sliceIds: [] })
  const again = await steps.deliver(discoverBills, at)
  expect(again.sliceIds).toHaveLength(2)
  expect(again.months).toEqual([202_608, 202_609])
})

test('an account without a month says where none is, until there is one', async () => {
  const months = steps.cloud.months
  steps.cloud.months = {}
  const ended = await steps.ingest()
  expect(ended).toMatchObject({ state: 'succeeded', slices: [], sources: [{ state: 'unchanged' }] })
  expect(ended.sources[0]?.reason).toMatch(/no bill in s3:\/\/bills\/costs\/focus\/ yet/)
  steps.cloud.months = months
  expect((await steps.ingest()).sources).toMatchObject([{ state: 'loaded', reason: null }])
})

test('an account that denies its bills fails by itself, and says why', async () => {
  const input = await steps.begin()
  const [source] = (await steps.shown(input.ingestId)).sources
  const at = { ...input, sourceId: source?.sourceId ?? 0 }
  steps.cloud.fault = new CloudFault('denied', 'The credentials lack s3:ListBucket.')
  await expect(steps.deliver(discoverBills, at)).rejects.toMatchObject({ code: 'cloud_denied' })
  expect((await steps.shown(input.ingestId)).sources).toMatchObject([
    { reason: 'The credentials lack s3:ListBucket.' },
  ])
})
