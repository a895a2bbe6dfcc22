import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { discoverBills } from '../../../activities/finops/discover-bills.ts'
import { endBill } from '../../../activities/finops/end-bill.ts'
import { endIngest } from '../../../activities/finops/end-ingest.ts'
import { endSource } from '../../../activities/finops/end-source.ts'
import { nextSources } from '../../../activities/finops/next-sources.ts'
import { takeBill } from '../../../activities/finops/take-bill.ts'
import { forgetUploads } from '../../../store/platform/due-ingests.ts'
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

  test('one that fails after its months were begun leaves no month, charge or file', async () => {
    const { sourceId, uploadId } = await add(
      `${focusCsv('2026-08', [1])}${focusCsv('2026-09', [2]).split('\n').slice(1).join('\n')}`,
    )
    const input = await steps.begin()
    const at = { ...input, sourceId }
    expect(await steps.deliver(discoverBills, at)).toMatchObject({ uploadIds: [uploadId] })
    const { sliceIds } = await steps.deliver(takeBill, { ...at, uploadId })
    expect(sliceIds).toHaveLength(2)
    // Twice, as a repeated attempt.
    const failed = { ...at, uploadId, code: 'timed_out' }
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

  test('one whose source fails as a whole is refused', async () => {
    const { sourceId, uploadId } = await add()
    const input = await steps.begin()
    const at = { ...input, sourceId }
    await steps.deliver(discoverBills, at)
    await steps.deliver(endSource, { ...at, code: 'timed_out' })
    expect(await states()).toEqual(['done'])
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

  test('what was taken after its source was over is ended with the ingest', async () => {
    const input = await steps.begin()
    const { sourceId } = await add()
    const { store } = harness.deps
    await store.tenant(steps.organizationId, async (tenant) =>
      takenUploads(tenant).take(sourceId, input.ingestId, 50),
    )
    const [account] = (await steps.shown(input.ingestId)).sources
    await steps.deliver(endSource, { ...input, sourceId: account?.sourceId ?? 0 })
    expect(await steps.deliver(endIngest, input)).toEqual({ next: 'over' })
    expect(await states()).toEqual(['done'])
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
