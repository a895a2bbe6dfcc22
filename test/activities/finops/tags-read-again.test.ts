import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { discoverBills } from '../../../activities/finops/discover-bills.ts'
import { endBill } from '../../../activities/finops/end-bill.ts'
import { endIngest } from '../../../activities/finops/end-ingest.ts'
import { endSource } from '../../../activities/finops/end-source.ts'
import { nextSources } from '../../../activities/finops/next-sources.ts'
import { swapSlice } from '../../../activities/finops/swap-slice.ts'
import { takeBill } from '../../../activities/finops/take-bill.ts'
import { readTagsAgain } from '../../../app/finops/read-tags-again.ts'
import { changeSettings, organizationSettings } from '../../../store/organizations/settings.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { billReading, ingestSteps, type BillReading } from '../../harness/finops/ingest-steps.ts'
import { taggedCsv } from '../../harness/finops/tagged-csv.ts'
import { waitingUpload } from '../../harness/finops/waiting-upload.ts'

describe('the tags of loaded bills are read again', () => {
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
    steps.cloud.months = {
      '2026-03': taggedCsv('2026-03', [
        [1, { team: 'a' }],
        [2, { Team: 'a' }],
      ]),
      '2026-10': taggedCsv('2026-10', [[4, { Team: 'a' }]]),
      '2026-11': taggedCsv('2026-11', [[8, { env: 'x' }]]),
    }
  })

  /** As the API does it. */
  const change = async (tagAliases: Record<string, string[]>) =>
    harness.deps.store.tenant(steps.organizationId, async (tenant) => {
      const { tagAliases: before } = await organizationSettings(tenant)
      await changeSettings(tenant, { tagAliases })
      await readTagsAgain(tenant, { before, after: tagAliases })
    })
  const running = async () =>
    harness.deps.store
      .platform('billing_ingests')
      .where({ organizationId: steps.organizationId, state: 'running' })
      .pluck('id')
  /** The ingest that the change began. */
  const readAgain = async () => {
    const [ingestId = 0] = await running()
    return steps.run({ organizationId: steps.organizationId, ingestId })
  }
  const teams = async () =>
    (
      await harness.deps.store.platform.raw(
        `select s.period::text, t.tag_key, sum(t.billed)::float8 as billed from billing_slices s
           join cost_tag_keys t on t.organization_id = s.organization_id and t.slice_id = s.id
         where s.organization_id = ? and s.is_current and lower(t.tag_key) = 'team' group by 1, 2 order by 1, 2`,
        [steps.organizationId],
      )
    ).rows.map((row: { period: string; tag_key: string; billed: number }) => Object.values(row))
  const states = ({ slices }: { slices: Array<{ period: string | null; state: string }> }) =>
    slices.map(({ period, state }) => `${period?.slice(0, 7)} ${state}`)

  const apart = [
    ['2026-03-01', 'Team', 2],
    ['2026-03-01', 'team', 1],
    ['2026-10-01', 'Team', 4],
  ]
  const together = [
    ['2026-03-01', 'team', 3],
    ['2026-10-01', 'team', 4],
  ]

  test('of an account those months whose files did not change, old ones too, and each once', async () => {
    await steps.ingest()
    steps.cloud.newest = 2
    expect(await teams()).toEqual(apart)
    await change({ team: ['Team'] })
    expect(await teams()).toEqual(apart)
    expect(states(await readAgain())).toEqual([
      '2026-03 loaded',
      '2026-10 loaded',
      '2026-11 unchanged',
    ])
    expect(await teams()).toEqual(together)
    expect(states(await steps.ingest())).toEqual(['2026-10 unchanged', '2026-11 unchanged'])
  })

  test('an ingest that runs looks at what it has loaded once more', async () => {
    const input = await steps.begin()
    const { sourceIds } = await steps.deliver(nextSources, input)
    const at = { ...input, sourceId: sourceIds[0] ?? 0 }
    const { sliceIds } = await steps.deliver(discoverBills, at)
    for (const sliceId of sliceIds) {
      await steps.deliver(takeBill, { ...at, sliceId })
      await steps.deliver(swapSlice, { ...at, sliceId })
    }
    await change({ team: ['Team'] })
    expect(await running()).toEqual([input.ingestId])
    await steps.deliver(endSource, at)
    expect(await steps.deliver(endIngest, input)).toEqual({ next: 'again' })
    expect(await teams()).toEqual(apart)
    await readAgain()
    expect(await teams()).toEqual(together)
    expect(await running()).toEqual([])
  })

  test('a month that cannot be read keeps its numbers and says so; the next look reads it', async () => {
    await steps.ingest()
    await change({ team: ['Team'] })
    const [ingestId = 0] = await running()
    const input = { organizationId: steps.organizationId, ingestId }
    const { sourceIds } = await steps.deliver(nextSources, input)
    const at = { ...input, sourceId: sourceIds[0] ?? 0 }
    const { sliceIds } = await steps.deliver(discoverBills, at)
    expect(sliceIds).toHaveLength(2)
    for (const sliceId of sliceIds)
      await steps.deliver(endBill, { ...at, sliceId, code: 'timed_out' })
    await steps.close(input)
    const { slices, sources } = await steps.shown(ingestId)
    expect(states({ slices })).toEqual(['2026-03 refused', '2026-10 refused', '2026-11 unchanged'])
    expect(sources[0]?.reason).toEqual(expect.any(String))
    expect(await teams()).toEqual(apart)
    await steps.hourly()
    expect(await teams()).toEqual(together)
  })

  test('a month whose export is gone is refused once', async () => {
    await steps.ingest()
    await change({ team: ['Team'] })
    delete steps.cloud.months['2026-03']
    const { slices } = await readAgain()
    expect(states({ slices })).toContain('2026-03 refused')
    expect(slices.find(({ state }) => state === 'refused')?.reason).toContain('not there any more')
    expect(await teams()).toEqual([...apart.slice(0, 2), ...together.slice(1)])
    expect(states(await steps.ingest())).toEqual(['2026-10 unchanged', '2026-11 unchanged'])
  })

  test('503: what was read while the keys changed is read anew', async () => {
    const { uploadId, sourceId } = await waitingUpload(harness, steps.organizationId, {
      source: 'dc',
      content: taggedCsv('2026-09', [[5, { Team: 'b' }]]),
    })
    const at = { ...(await steps.begin('upload')), sourceId, uploadId }
    await steps.deliver(discoverBills, at)
    const readBills: BillReading['readBills'] = async (read) => {
      const answer = await reading.readBills(read)
      await change({ team: ['Team'] })
      return answer
    }
    await expect(steps.deliver(takeBill, at, { readBills })).rejects.toMatchObject({
      code: 'aliases_changed',
    })
    expect(await steps.deliver(takeBill, at)).toMatchObject({ outcome: 'loaded' })
  })
})
