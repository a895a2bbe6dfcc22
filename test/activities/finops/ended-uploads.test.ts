import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { discoverBills } from '../../../activities/finops/discover-bills.ts'
import { endBill } from '../../../activities/finops/end-bill.ts'
import { endIngest } from '../../../activities/finops/end-ingest.ts'
import { endSource } from '../../../activities/finops/end-source.ts'
import { nextSources } from '../../../activities/finops/next-sources.ts'
import { swapSlice } from '../../../activities/finops/swap-slice.ts'
import { takeBill } from '../../../activities/finops/take-bill.ts'
import { dueIngests, forgetUploads } from '../../../store/platform/due-ingests.ts'
import { takenUploads } from '../../../store/finops/taken-uploads.ts'
import { forgetChargesTask } from '../../../worker/tasks/forget-charges.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { focusCsv } from '../../harness/finops/focus-csv.ts'
import { billReading, ingestSteps, type BillReading } from '../../harness/finops/ingest-steps.ts'
import { waitingUpload } from '../../harness/finops/waiting-upload.ts'

describe('uploads of an ingest', () => {
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
  })

  const add = async (content = focusCsv('2026-09', [1, 2]), source = 'dc') =>
    waitingUpload(harness, steps.organizationId, { source, content })
  const states = async () =>
    harness.deps.store
      .platform('billing_uploads')
      .where({ organizationId: steps.organizationId })
      .orderBy('id')
      .pluck('state')
  const slices = async (ingestId: number) =>
    (await steps.shown(ingestId)).slices.map(({ period, state, manifest }) => ({
      period,
      state,
      manifest,
    }))

  test('one whose files are to blame, after its months were begun, leaves no month, charge or file', async () => {
    const { sourceId, uploadId } = await add(
      `${focusCsv('2026-08', [1])}${focusCsv('2026-09', [2]).split('\n').slice(1).join('\n')}`,
    )
    const input = await steps.begin()
    const at = { ...input, sourceId }
    expect(await steps.deliver(discoverBills, at)).toMatchObject({ uploadIds: [uploadId] })
    const { sliceIds } = await steps.deliver(takeBill, { ...at, uploadId })
    expect(sliceIds).toHaveLength(2)
    // Twice, as a repeated attempt.
    const failed = { ...at, uploadId, code: 'bill_refused' }
    await steps.deliver(endBill, failed)
    await steps.deliver(endBill, failed)
    const manifest = `upload ${uploadId}`
    expect(await slices(input.ingestId)).toEqual([
      { period: '2026-08-01', state: 'refused', manifest },
      { period: '2026-09-01', state: 'refused', manifest },
    ])
    expect(await states()).toEqual(['done'])

    const { store, log } = harness.deps
    while ((await forgetChargesTask({ store, log }).run()) === 'more');
    const { rows } = await store.platform.raw(
      'select count(*)::int as n from focus_charges where organization_id = ?',
      [steps.organizationId],
    )
    expect(rows).toEqual([{ n: 0 }])
    while (await forgetUploads(store.platform, 100));
    expect(await states()).toEqual([])
  })

  test.each(['timed_out', 'bill_disk_full', 'keyring_unavailable', 'bill_not_whole'])(
    'one that a fault of ours ends (%s) waits for the next ingest, and for no other look of its own',
    async (code) => {
      const { sourceId, uploadId } = await add()
      const input = await steps.begin()
      const at = { ...input, sourceId }
      await steps.deliver(discoverBills, at)
      await steps.deliver(takeBill, { ...at, uploadId })
      const failed = { ...at, uploadId, code }
      await steps.deliver(endBill, failed)
      await steps.deliver(endBill, failed)
      expect(await states()).toEqual(['waiting'])
      expect((await steps.deliver(discoverBills, at)).uploadIds).toEqual([])
      await steps.close(input)
      const { sources } = await steps.shown(input.ingestId)
      expect(sources.find((source) => source.sourceId === sourceId)).toMatchObject({
        state: 'failed',
      })
      expect(await forgetUploads(harness.deps.store.platform, 100)).toBe(false)
      expect(await states()).toEqual(['waiting'])
      const again = await steps.ingest()
      expect(again.slices).toMatchObject([{ state: 'loaded', recordsUpserted: 2 }])
      expect(await states()).toEqual(['done'])
    },
  )

  test('one that waits after a fault of ours is due an hour later, and ended after three days', async () => {
    const { platform } = harness.deps.store
    const { organizationId } = steps
    const isDue = async () => {
      const due = await dueIngests(platform, 1_000)
      return due.some((one) => one.organizationId === organizationId)
    }
    const aged = async (table: string, column: string, hours: number) =>
      platform(table)
        .where({ organizationId })
        .update({ [column]: new Date(Date.now() - hours * 3_600_000) })
    const fail = async () => {
      const input = await steps.begin()
      const at = { ...input, sourceId }
      const { uploadIds } = await steps.deliver(discoverBills, at)
      expect(uploadIds).toEqual([uploadId])
      await steps.deliver(endBill, { ...at, uploadId, code: 'bill_disk_full' })
      await steps.close(input)
    }
    const later = new Date(Date.now() + 3_600_000)
    await platform('cloud_accounts').where({ organizationId }).update({ nextIngestAt: later })
    const { sourceId, uploadId } = await add()
    expect(await isDue()).toBe(true)
    await fail()
    expect(await isDue()).toBe(false)
    await aged('billing_uploads', 'touchedAt', 2)
    expect(await isDue()).toBe(true)
    await aged('billing_slices', 'beganAt', 71)
    await fail()
    expect(await states()).toEqual(['waiting'])
    await aged('billing_slices', 'beganAt', 73)
    await fail()
    expect(await states()).toEqual(['done'])
  })

  test('one that waited does not replace what a later upload had read meanwhile', async () => {
    const first = await add(
      `${focusCsv('2026-08', [1])}${focusCsv('2026-09', [2]).split('\n').slice(1).join('\n')}`,
    )
    const second = await add(focusCsv('2026-09', [7]))
    const input = await steps.begin()
    const at = { ...input, sourceId: first.sourceId }
    await steps.deliver(discoverBills, at)
    await steps.deliver(endBill, { ...at, uploadId: first.uploadId, code: 'bill_disk_full' })
    const bill = { ...at, uploadId: second.uploadId }
    for (const sliceId of (await steps.deliver(takeBill, bill)).sliceIds)
      await steps.deliver(swapSlice, { ...at, sliceId })
    await steps.deliver(endBill, bill)
    await steps.close(input)
    await steps.ingest()
    expect(await steps.seen()).toMatchObject([
      { period: '2026-08-01', billed: 1 },
      { period: '2026-09-01', billed: 7 },
    ])
  })

  test('one whose source fails as a whole is refused, and waits for the next ingest', async () => {
    const { sourceId, uploadId } = await add()
    const input = await steps.begin()
    const at = { ...input, sourceId }
    await steps.deliver(discoverBills, at)
    await steps.deliver(endSource, { ...at, code: 'timed_out' })
    expect(await states()).toEqual(['waiting'])
    expect(await slices(input.ingestId)).toEqual([
      { period: null, state: 'refused', manifest: `upload ${uploadId}` },
    ])
  })

  test('one of a lost ingest waits again, and its months are refused', async () => {
    const { sourceId, uploadId } = await add()
    const input = await steps.begin()
    const at = { ...input, sourceId }
    await steps.deliver(discoverBills, at)
    await steps.deliver(takeBill, { ...at, uploadId })
    await steps.deliver(endIngest, { ...input, code: 'ingest_lost' })
    expect(await states()).toEqual(['waiting'])
    expect(await slices(input.ingestId)).toMatchObject([{ state: 'refused' }])
    const again = await steps.ingest()
    expect(again.slices).toMatchObject([{ state: 'loaded', recordsUpserted: 2 }])
  })

  test('what was taken after its source was over waits for the next ingest', async () => {
    const input = await steps.begin()
    const { sourceId } = await add()
    const { store } = harness.deps
    await store.tenant(steps.organizationId, async (tenant) =>
      takenUploads(tenant).take(sourceId, input.ingestId, 50),
    )
    const [account] = (await steps.shown(input.ingestId)).sources
    await steps.deliver(endSource, { ...input, sourceId: account?.sourceId ?? 0 })
    expect(await steps.deliver(endIngest, input)).toEqual({ next: 'over' })
    expect(await states()).toEqual(['waiting'])
  })

  test('the oldest are taken first, and a source with more of them is looked at again', async () => {
    const uploads = [await add(), await add(), await add()]
    const ids = uploads.map(({ uploadId }) => uploadId)
    const sourceId = uploads[0]?.sourceId ?? 0
    const input = await steps.begin()
    const at = { ...input, sourceId }
    const { store } = harness.deps
    const take = async () =>
      store.tenant(steps.organizationId, async (tenant) =>
        takenUploads(tenant).take(sourceId, input.ingestId, 2),
      )
    expect(await take()).toEqual(ids.slice(0, 2))
    // Of a repeated attempt.
    expect(await take()).toEqual(ids.slice(0, 2))
    for (const uploadId of ids.slice(0, 2)) await steps.deliver(endBill, { ...at, uploadId })
    await steps.deliver(endSource, at)
    expect((await steps.deliver(nextSources, input)).sourceIds).toContain(sourceId)
    expect(await take()).toEqual(ids.slice(2))
  })
})
