import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { mergeSlices } from '../../../app/finops/merge-slices.ts'
import { rebuildDays } from '../../../app/finops/rebuild-days.ts'
import { removeSource } from '../../../app/finops/remove-source.ts'
import { swapSlice } from '../../../app/finops/swap-slice.ts'
import { systemActor } from '../../../store/audit/audit-log.ts'
import { billingSources } from '../../../store/finops/billing-sources.ts'
import { mergedSlices } from '../../../store/finops/merged-slices.ts'
import { unmergedCosts } from '../../../store/platform/unmerged-costs.ts'
import { mergeCostTask } from '../../../worker/tasks/merge-cost.ts'
import { testBills, type TestCharge } from '../../harness/bills.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { holdResources } from '../../harness/hold-resources.ts'
import { ownedWorkspace } from '../../harness/owned-workspace.ts'

let harness: Harness
let made: Awaited<ReturnType<typeof ownedWorkspace>>
let bills: ReturnType<typeof testBills>
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())
beforeEach(async () => {
  made = await ownedWorkspace(harness)
  bills = testBills(harness.deps.store, made.org.id)
})

const load = async (sourceId: number, charges: TestCharge[], period = '2026-03-01') => {
  const filled = charges.map((one) => ({ digest: randomUUID(), tags: '{"team": "a"}', ...one }))
  const { id } = await bills.reading(sourceId, filled, period)
  expect(await swapSlice(harness.deps.store, { organizationId: made.org.id, sliceId: id })).toBe(
    'loaded',
  )
  return id
}
const merge = async (least = 0) => mergeSlices(harness.deps.store, made.org.id, least)
/** What is merged, by month: of which slices, and its sum. */
const merged = async () =>
  Object.fromEntries(
    (
      await bills.ask(`
        select m.period::text, m.made_of, (select trim_scale(sum(effective))::text from cost_daily c
            where c.organization_id = m.organization_id and c.slice_id = m.id) as sum
        from merged_slices m where m.organization_id = :organizationId order by 1`)
    ).map((row) => [row['period'], `${String(row['made_of'])}: ${String(row['sum'])}`]),
  )
const orphans = async () =>
  bills.ask(`select slice_id from cost_daily where organization_id = :organizationId and slice_id < 0
    and slice_id not in (select id from merged_slices where organization_id = :organizationId)`)
const total = async () => {
  const path = '/api/finops/cost?from=2026-01-01&to=2026-12-31'
  return (await made.owner.get(path)).json().total
}

test('a swap makes a month’s merged sums stale, and the next merge makes them anew', async () => {
  const [one, two] = [await bills.source(), await bills.source()]
  const first = await load(one, [{ effective_cost: '1' }, { effective_cost: '2' }])
  const second = await load(two, [{ effective_cost: '4' }])
  const april = await load(one, [{ day: '2026-04-01', effective_cost: '8' }], '2026-04-01')
  await merge()
  expect(await merged()).toEqual({
    '2026-03-01': `${first}.0,${second}.0: 7`,
    '2026-04-01': `${april}.0: 8`,
  })
  expect(await total()).toBe(15)

  const next = await load(two, [{ effective_cost: '5' }])
  // Not merged yet, and right.
  expect(await total()).toBe(16)
  await merge()
  expect(await merged()).toEqual({
    '2026-03-01': `${first}.0,${next}.0: 8`,
    '2026-04-01': `${april}.0: 8`,
  })
  expect(await total()).toBe(16)
  expect(await orphans()).toEqual([])
})

test('a changed owner makes them stale', async () => {
  const vm = 'arn:aws:ec2:eu-west-1:1:instance/i-1'
  const id = await load(await bills.source(), [{ resource_id: vm }])
  await merge()
  const of = { organizationId: made.org.id, workspaceId: made.workspace.id }
  await holdResources(harness.deps.store, of, { day: '2026-03-01', resources: [vm] })
  await rebuildDays(harness.deps.store, of)
  const { byOwner } = (
    await made.owner.get('/api/finops/cost?from=2026-03-01&to=2026-03-31')
  ).json()
  expect(byOwner).toMatchObject({ workspaces: [{ amount: 1 }], unmanaged: 0 })
  await merge()
  expect(await merged()).toEqual({ '2026-03-01': `${id}.1: 1` })
})

test('a removed source is no part of them, and a month without slices has none', async () => {
  const [one, two] = [await bills.source(), await bills.source()]
  const first = await load(one, [{ effective_cost: '1' }])
  await load(two, [{ effective_cost: '2' }])
  await load(two, [{ day: '2026-04-01' }], '2026-04-01')
  await merge()
  await harness.deps.store.tenant(made.org.id, async (tenant) =>
    removeSource(tenant, await billingSources(tenant).get(two), systemActor),
  )
  expect(await total()).toBe(1)
  await merge()
  expect(await merged()).toEqual({ '2026-03-01': `${first}.0: 1` })
  expect(await orphans()).toEqual([])
})

test('a month with few charges is not merged, nor one with too many rows', async () => {
  const sourceId = await bills.source()
  await load(sourceId, [{}, { service_name: 'EC2' }])
  await merge(2)
  expect(Object.keys(await merged())).toEqual(['2026-03-01'])
  await load(sourceId, [{}, {}, { service_name: 'EC2' }])
  await merge(4)
  expect(await merged()).toEqual({})
  await harness.deps.store.tenant(made.org.id, async (tenant) =>
    mergedSlices(tenant).merge('2026-03-01', 3),
  )
  expect(await merged()).toEqual({ '2026-03-01': ': null' })
  expect(await total()).toBe(3)
})

test('two at once end in one merged month of each', async () => {
  const id = await load(await bills.source(), [{}, {}])
  await Promise.all([merge(), merge(), merge()])
  expect(await merged()).toEqual({ '2026-03-01': `${id}.0: 2` })
  expect(await orphans()).toEqual([])
})

test('the task waits until changes are over, and does nothing twice', async () => {
  const { platform } = harness.deps.store
  const isDue = async () => (await unmergedCosts(platform, 10_000)).includes(made.org.id)
  await load(await bills.source(), [{}])
  expect(await isDue()).toBe(false)
  await bills.ask(
    `update cost_versions set changed_at = now() - interval '1 minute' where organization_id = :organizationId`,
  )
  expect(await isDue()).toBe(true)
  while ((await mergeCostTask(harness.deps).run()) === 'more') continue
  expect(await isDue()).toBe(false)
})
