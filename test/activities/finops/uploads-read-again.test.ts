import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { discoverBills } from '../../../activities/finops/discover-bills.ts'
import { endIngest } from '../../../activities/finops/end-ingest.ts'
import { takeBill } from '../../../activities/finops/take-bill.ts'
import { acceptSlice } from '../../../app/finops/decide-slice.ts'
import { readTagsAgain } from '../../../app/finops/read-tags-again.ts'
import { systemActor } from '../../../store/audit/audit-log.ts'
import { billingUploads } from '../../../store/finops/billing-uploads.ts'
import { changeSettings, organizationSettings } from '../../../store/organizations/settings.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { billReading, ingestSteps, type BillReading } from '../../harness/finops/ingest-steps.ts'
import { taggedCsv } from '../../harness/finops/tagged-csv.ts'
import { waitingUpload } from '../../harness/finops/waiting-upload.ts'

describe('uploads that come late or are read again', () => {
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
    steps.cloud.months = {}
  })

  const upload = async (...rows: Parameters<typeof taggedCsv>[1]) =>
    uploadOf(taggedCsv('2026-09', rows))
  const uploadOf = async (content: string) =>
    waitingUpload(harness, steps.organizationId, { source: 'dc', content })
  const ingest = async () => steps.ingest(1, {}, 'upload')
  const uploads = () =>
    harness.deps.store.platform('billing_uploads').where({ organizationId: steps.organizationId })
  /** As if its request still ran. */
  const receiving = async (id: number) => uploads().where({ id }).update({ state: 'receiving' })
  const complete = async (id: number) =>
    harness.deps.store.tenant(steps.organizationId, async (tenant) =>
      billingUploads(tenant).complete(id),
    )
  /** As the API does it. Runs the ingest that it begins. */
  const change = async (tagAliases: Record<string, string[]>) => {
    await harness.deps.store.tenant(steps.organizationId, async (tenant) => {
      const { tagAliases: before } = await organizationSettings(tenant)
      await changeSettings(tenant, { tagAliases })
      await readTagsAgain(tenant, { before, after: tagAliases })
    })
    const [ingestId = 0] = await harness.deps.store
      .platform('billing_ingests')
      .where({ organizationId: steps.organizationId, state: 'running' })
      .pluck('id')
    return steps.run({ organizationId: steps.organizationId, ingestId })
  }
  const slices = async () =>
    (
      await harness.deps.store
        .platform('billing_slices')
        .where({ organizationId: steps.organizationId })
        .whereNotNull('manifest')
        .orderBy('id')
        .select('id', 'period', 'state', 'manifest', 'billed')
    ).filter(({ manifest }) => String(manifest).startsWith('upload '))
  const shown = async () =>
    (await slices()).map(
      ({ period, state, manifest, billed }) => `${manifest} ${period} ${state} ${Number(billed)}`,
    )

  test('one that was begun first and completed last replaces the month', async () => {
    const first = await upload([7, { Team: 'a' }])
    await receiving(first.uploadId)
    const second = await upload([5, { Team: 'a' }])
    await ingest()
    await complete(first.uploadId)
    await ingest()
    const [of1, of2] = [first, second].map(({ uploadId }) => `upload ${uploadId} 2026-09-01`)
    expect(await shown()).toEqual([`${of2} superseded 5`, `${of1} loaded 7`])
    // It is the newest one by now: its tags are read again too.
    await change({ team: ['Team'] })
    expect((await shown()).slice(1)).toEqual([`${of1} superseded 7`, `${of1} loaded 7`])
  })

  test('one whose ingest was lost replaces it too, and is not read once more for what it has', async () => {
    const first = await upload([7, {}])
    await receiving(first.uploadId)
    const second = await upload([5, {}])
    await ingest()
    await complete(first.uploadId)
    const input = await steps.begin('upload')
    const at = { ...input, sourceId: first.sourceId }
    await steps.deliver(discoverBills, at)
    await steps.deliver(takeBill, { ...at, uploadId: first.uploadId })
    await steps.deliver(endIngest, { ...input, code: 'ingest_lost' })
    await ingest()
    const [of1, of2] = [first, second].map(({ uploadId }) => `upload ${uploadId} 2026-09-01`)
    const settled = [`${of2} superseded 5`, `${of1} refused 7`, `${of1} loaded 7`]
    expect(await shown()).toEqual(settled)
    await uploads().where({ id: first.uploadId }).update({ state: 'waiting', ingestId: null })
    await ingest()
    expect(await shown()).toEqual(settled)
  })

  test('a suspect one waits on while that which it is to replace is read again', async () => {
    const first = await upload([1, { Team: 'a' }], [2, { Team: 'a' }], [4, { Team: 'b' }])
    await ingest()
    const second = await upload([1, {}])
    await ingest()
    const [of1, of2] = [first, second].map(({ uploadId }) => `upload ${uploadId} 2026-09-01`)
    expect(await shown()).toEqual([`${of1} loaded 7`, `${of2} suspect 1`])
    await change({ team: ['Team'] })
    expect(await shown()).toEqual([`${of1} superseded 7`, `${of2} suspect 1`, `${of1} loaded 7`])
    const { id = 0 } = (await slices()).find(({ state }) => state === 'suspect') ?? {}
    await harness.deps.store.tenant(steps.organizationId, async (tenant) =>
      acceptSlice(tenant, Number(id), { actor: systemActor, userId: null }),
    )
    expect(await shown()).toEqual([`${of1} superseded 7`, `${of2} loaded 1`, `${of1} superseded 7`])
  })

  test('a whole export still takes the place of a suspect one, also with the rows of before', async () => {
    const rows = [1, 2, 4].map((cost) => [cost, { Team: 'a' }] as const)
    await upload(...rows)
    await ingest()
    await upload([1, {}])
    await ingest()
    await upload(...rows)
    await ingest()
    expect((await slices()).map(({ state }) => state)).toEqual([
      'superseded',
      'superseded',
      'loaded',
    ])
  })

  test('of one with two months that alone is read again which has the tag', async () => {
    const october = taggedCsv('2026-10', [[3, {}]])
      .split('\n')
      .slice(1)
      .join('\n')
    const { uploadId } = await uploadOf(`${taggedCsv('2026-09', [[2, { Team: 'a' }]])}${october}`)
    await ingest()
    await change({ team: ['Team'] })
    const own = `upload ${uploadId}`
    expect((await shown()).toSorted()).toEqual([
      `${own} 2026-09-01 loaded 2`,
      `${own} 2026-09-01 superseded 2`,
      `${own} 2026-10-01 loaded 3`,
    ])
  })
})
