import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { mergeSlices } from '../../../app/finops/merge-slices.ts'
import { swapSlice } from '../../../app/finops/swap-slice.ts'
import { mergedSlices } from '../../../store/finops/merged-slices.ts'
import { testBills } from '../../harness/bills.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

const period = '2026-03-01'
let harness: Harness
let organizationId: number
let bills: ReturnType<typeof testBills>
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())
beforeEach(async () => {
  ;({ id: organizationId } = await harness.organization())
  bills = testBills(harness.deps.store, organizationId)
  const { id } = await bills.reading(await bills.source(), [{ digest: randomUUID() }], period)
  await swapSlice(harness.deps.store, { organizationId, sliceId: id })
})

const merge = async () => mergeSlices(harness.deps.store, organizationId, 0)
/** Which transaction wrote the merged sums. */
const writtenBy = async () =>
  bills.ask(
    `select xmin::text from cost_daily where organization_id = :organizationId and slice_id < 0`,
  )
const isNoted = async () => {
  const [row] = await bills.ask(
    'select merged_version = version as noted from cost_versions where organization_id = :organizationId',
  )
  return row?.['noted']
}

test('a month that another worker merges is left to it, and noted only once it is there', async () => {
  await harness.deps.store.tenant(organizationId, async (tenant) => {
    expect(await mergedSlices(tenant).tryLock(period)).toBe(true)
    await mergedSlices(tenant).merge(period)
    // It does not wait for the end of this transaction.
    await merge()
    expect(await isNoted()).toBe(false)
  })
  const [written] = await writtenBy()
  await merge()
  expect(await writtenBy()).toEqual([written])
  expect(await isNoted()).toBe(true)
})

test('a month that was merged since it was found is not merged again', async () => {
  const { store } = harness.deps
  let transactions = 0
  await mergeSlices(
    {
      ...store,
      async tenant(id, work) {
        transactions += 1
        if (transactions === 2) await merge()
        return store.tenant(id, work)
      },
    },
    organizationId,
    0,
  )
  const [written] = await writtenBy()
  const [made] = await bills.ask(
    'select xmin::text from merged_slices where organization_id = :organizationId',
  )
  expect(made).toEqual(written)
  // One more pass finds nothing to do.
  await merge()
  expect(await writtenBy()).toEqual([written])
})

test('a worker that dies while it merges leaves the month to the next one', async () => {
  const { store } = harness.deps
  const dying = store.tenant(organizationId, async (tenant) => {
    await mergedSlices(tenant).tryLock(period)
    await mergedSlices(tenant).merge(period)
    throw new Error('killed')
  })
  await expect(dying).rejects.toThrow('killed')
  expect(await writtenBy()).toEqual([])
  await merge()
  expect(await writtenBy()).toHaveLength(1)
  expect(await isNoted()).toBe(true)
})
