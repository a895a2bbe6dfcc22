import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { swapSlice } from '../../../app/finops/swap-slice.ts'
import { testBills, type TestCharge } from '../../harness/bills.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'

describe('the swap of a slice', () => {
  let harness: Harness
  let org: TestOrganization
  let bills: ReturnType<typeof testBills>
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())
  beforeEach(async () => {
    org = await harness.organization()
    bills = testBills(harness.deps.store, org.id)
  })

  const swap = async (sliceId: number) =>
    swapSlice(harness.deps.store, { organizationId: org.id, sliceId })
  const charge = (given: TestCharge = {}): TestCharge => ({ digest: randomUUID(), ...given })
  const events = async () =>
    (
      await bills.ask(`select event, detail from audit_entries
        where organization_id = :organizationId and event like 'finops.%' order by id`)
    ).map(({ event }) => event)

  test('nobody sees a slice before, everybody the whole of it after, with its version and audit', async () => {
    const charges = [
      charge({ effective_cost: '1.000000000001', list_cost: '2' }),
      charge({ effective_cost: '-0.5', service_name: 'EC2', tags: '{"team": "a", "env": ""}' }),
    ]
    const { id } = await bills.reading(await bills.source(), charges)
    expect(await bills.seen()).toEqual([])
    expect(await bills.version()).toBe(0)
    expect(await swap(id)).toBe('loaded')
    const row = { slice_id: id, day: '2026-03-01', owner: 'none', workspace_id: null }
    expect(await bills.seen()).toEqual([
      { ...row, service: 'EC2', effective: '-0.5' },
      { ...row, service: 'S3', effective: '1.000000000001' },
    ])
    expect(await bills.slice(id)).toEqual({
      state: 'loaded',
      is_current: true,
      records_upserted: 2,
      records_removed: 0,
      complete_through: '2026-03-01',
      provider_names: { aws: ['Amazon Web Services'] },
      reason: null,
    })
    expect(await bills.version()).toBe(1)
    expect(await events()).toEqual(['finops.slice_loaded'])
    expect(
      await bills.ask(`select tag_key, tag_value, trim_scale(effective)::text as effective from cost_tag_daily
        where organization_id = :organizationId order by 1`),
    ).toEqual([
      { tag_key: 'env', tag_value: '', effective: '-0.5' },
      { tag_key: 'team', tag_value: 'a', effective: '-0.5' },
    ])
    // Once more, as after a crash behind the commit.
    expect(await swap(id)).toBe('loaded')
    expect(await bills.version()).toBe(1)
    expect(await events()).toEqual(['finops.slice_loaded'])
  })

  test('it counts what is new or differs, and what is gone', async () => {
    const sourceId = await bills.source()
    const [same, before, gone] = [charge(), charge({ sku_id: 'a' }), charge({ sku_id: 'b' })]
    const first = await bills.reading(sourceId, [same, before, gone])
    await swap(first.id)
    const after = charge({ sku_id: 'a', effective_cost: '3' })
    const second = await bills.reading(sourceId, [same, after, charge({ sku_id: 'c' })])
    expect(await swap(second.id)).toBe('loaded')
    expect(await bills.slice(second.id)).toMatchObject({ records_upserted: 2, records_removed: 1 })
    expect(await bills.slice(first.id)).toMatchObject({ state: 'superseded', is_current: false })
    expect(await bills.seen()).toMatchObject([{ slice_id: second.id, effective: '5' }])
    const third = await bills.reading(sourceId, [same, after, charge({ sku_id: 'd' })])
    await bills.ask(
      'update billing_slices set records = 4 where organization_id = :organizationId and id = :id',
      third,
    )
    // Not what the reader counted: nothing changes.
    await expect(swap(third.id)).rejects.toMatchObject({ code: 'bill_not_whole' })
    expect(await bills.seen()).toMatchObject([{ slice_id: second.id }])
  })

  test('of two swaps of one slice at once one counts; of two slices the later one stays', async () => {
    const sourceId = await bills.source()
    const first = await bills.reading(sourceId, [charge(), charge({ service_name: 'EC2' })])
    expect(await Promise.all([swap(first.id), swap(first.id), swap(first.id)])).toEqual([
      'loaded',
      'loaded',
      'loaded',
    ])
    expect(await bills.version()).toBe(1)
    expect(await bills.seen()).toHaveLength(2)
    expect(await events()).toEqual(['finops.slice_loaded'])
  })

  test('an export that shrinks is suspect, and what it was to replace stays', async () => {
    const sourceId = await bills.source()
    const days = ['2026-03-01', '2026-03-02', '2026-03-03']
    const first = await bills.reading(
      sourceId,
      days.map((day) => charge({ day })),
    )
    await swap(first.id)
    const second = await bills.reading(sourceId, [charge({ effective_cost: '9' })])
    expect(await swap(second.id)).toBe('suspect')
    expect(await bills.slice(second.id)).toMatchObject({
      state: 'suspect',
      is_current: false,
      reason: expect.stringMatching(/1 days in place of 3, 1 rows in place of 3/),
    })
    expect(await bills.seen()).toHaveLength(3)
    expect(await bills.version()).toBe(1)
    const third = await bills.reading(sourceId, [charge()])
    expect(await swap(third.id)).toBe('suspect')
    expect(await bills.slice(second.id)).toMatchObject({ state: 'superseded' })
    // A whole export takes its place by itself.
    const whole = await bills.reading(
      sourceId,
      days.map((day) => charge({ day })),
    )
    expect(await swap(whole.id)).toBe('loaded')
    expect(await bills.slice(third.id)).toMatchObject({ state: 'superseded' })
    expect(await events()).toEqual([
      'finops.slice_loaded',
      'finops.slice_suspect',
      'finops.slice_suspect',
      'finops.slice_loaded',
    ])
  })

  test('the slice of a source that was removed meanwhile is discarded', async () => {
    const { id, sourceId } = await bills.reading(await bills.source(), [charge()])
    await bills.ask(
      'update billing_sources set removed_at = now() where organization_id = :organizationId and id = :sourceId',
      { sourceId },
    )
    expect(await swap(id)).toBe('gone')
    expect(await bills.slice(id)).toMatchObject({ state: 'discarded', is_current: false })
    expect(await bills.version()).toBe(0)
  })

  test('404: a slice of another organization', async () => {
    const { id } = await bills.reading(await bills.source(), [charge()])
    const other = await harness.organization()
    await expect(
      swapSlice(harness.deps.store, { organizationId: other.id, sliceId: id }),
    ).rejects.toMatchObject({ code: 'not_found' })
    expect(await bills.slice(id)).toMatchObject({ state: 'reading' })
  })
})
