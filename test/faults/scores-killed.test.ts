import { afterAll, beforeAll, expect, test } from 'vitest'
import { removeSource } from '../../app/finops/remove-source.ts'
import { swapSlice } from '../../app/finops/swap-slice.ts'
import { systemActor } from '../../store/audit/audit-log.ts'
import { billingSources } from '../../store/finops/billing-sources.ts'
import { raiseCostVersion } from '../../store/finops/raise-cost-version.ts'
import { testBills } from '../harness/bills.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { eventually } from '../harness/eventually.ts'
import { ingestGates, type GatePlace, type IngestGates } from '../harness/finops/ingest-gates.ts'
import { processesOf, type Process, type Processes } from '../harness/processes.ts'
import { scopeBills, smallCosts } from '../harness/scope-bills.ts'

// One `kill -9` of a worker that merges the month of one organization, and scores the whole cost of another one.
let harness: Harness
let gates: IngestGates
let processes: Processes
let worker: Process
beforeAll(async () => {
  harness = await createHarness()
  gates = await ingestGates(harness)
  processes = await processesOf(harness)
}, 300_000)
afterAll(async () => {
  await processes?.close()
  await gates?.close()
  await harness?.close()
})

const reached = async (place: GatePlace, organizationId: number) =>
  eventually(async () => gates.isReached(place, organizationId), { looks: 3_000 })

/** A month of two slices with enough charges to be merged. */
async function monthToMerge() {
  const { store } = harness.deps
  const { id: organizationId } = await harness.organization()
  const bills = testBills(store, organizationId)
  for (const effective of ['1', '2']) {
    const { id } = await bills.reading(await bills.source(), [{ effective_cost: effective }])
    await swapSlice(store, { organizationId, sliceId: id })
  }
  const ask = async (sql: string) => (await bills.ask(sql))[0] ?? {}
  return {
    organizationId,
    async begin() {
      await bills.ask(
        'update billing_slices set records = 20000 where organization_id = :organizationId',
      )
      await store.tenant(organizationId, raiseCostVersion)
    },
    isNoted: async () =>
      (
        await ask(
          'select merged_version = version as noted from cost_versions where organization_id = :organizationId',
        )
      )['noted'] === true,
    merged: async () =>
      ask(`select count(*)::integer as rows, coalesce(sum(effective), 0)::float8 as sum,
          count(distinct slice_id)::integer as slices, (select count(*)::integer from merged_slices
            where organization_id = :organizationId and made_of <> '') as months
        from cost_daily where organization_id = :organizationId and slice_id < 0`),
  }
}

/** An anomaly of the whole cost that is there no more once one of two sources is removed. */
async function sourceToRemove() {
  const { store } = harness.deps
  const { id: organizationId } = await harness.organization()
  const of = scopeBills(store, organizationId)
  const kept = await of.bills.source('kept')
  const removed = await of.bills.source('removed')
  await of.load(kept, smallCosts(60))
  await of.load(removed, smallCosts(60, { services: 40, at: { 59: 580 } }))
  return {
    ...of,
    organizationId,
    async begin() {
      await store.tenant(organizationId, async (tenant) =>
        removeSource(tenant, await billingSources(tenant).get(removed), systemActor),
      )
    },
    isQueued: async () =>
      (
        await of.bills.ask(`select 1 from cost_versions
          where organization_id = :organizationId and score_scopes_at is not null`)
      ).length > 0,
    lastDay: async () =>
      of.bills.ask(`select d.actual::float8 from anomaly_days d
          join anomaly_series a on a.organization_id = d.organization_id and a.id = d.series_id
        where d.organization_id = :organizationId and a.scope_kind = 'total' and d.day = '2026-03-01'`),
    takenBack: async () =>
      of.bills.ask(`select 1 from audit_entries
        where organization_id = :organizationId and event = 'finops.anomaly_taken_back'`),
  }
}

test('kill -9 in a merge and in a scoring: nothing half, nothing twice, and both are done', async () => {
  const [month, source] = [await monthToMerge(), await sourceToRemove()]
  expect(await source.scopes()).toMatchObject([['all', '2026-03-01', 180]])
  await gates.shut('merge', month.organizationId)
  await gates.shut('score', source.organizationId)
  await month.begin()
  await source.begin()
  worker = await processes.startWorker()
  await reached('merge', month.organizationId)
  await reached('score', source.organizationId)

  await worker.kill()
  for (const [place, { organizationId }] of [
    ['merge', month],
    ['score', source],
  ] as const)
    await gates.open(place, organizationId)
  // Of both, what was before.
  expect(await month.merged()).toEqual({ rows: 0, sum: 0, slices: 0, months: 0 })
  expect(await month.isNoted()).toBe(false)
  expect(await source.scopes()).toMatchObject([['all', '2026-03-01', 180]])
  expect(await source.lastDay()).toEqual([{ actual: 780 }])
  expect(await source.isQueued()).toBe(true)

  // The claim of the dead worker is over.
  await source.bills.ask(
    'update cost_versions set score_scopes_at = now() where organization_id = :organizationId',
  )
  worker = await processes.startWorker()
  await eventually(month.isNoted, { looks: 3_000 })
  await eventually(async () => !(await source.isQueued()), { looks: 3_000 })
  expect(await month.merged()).toEqual({ rows: 1, sum: 3, slices: 1, months: 1 })
  expect(await source.scopes()).toEqual([])
  expect(await source.lastDay()).toEqual([{ actual: 200 }])
  expect(await source.takenBack()).toHaveLength(1)
  expect(await source.told()).toHaveLength(1)
}, 400_000)
