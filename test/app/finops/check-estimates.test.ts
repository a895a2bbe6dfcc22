import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { checkEstimates } from '../../../app/finops/check-estimates.ts'
import { swapSlice } from '../../../app/finops/swap-slice.ts'
import { dayAfter } from '../../../domain/finops/anomalies/days.ts'
import type { PlanEstimate } from '../../../domain/finops/estimates/plan-estimate.ts'
import { unwrap } from '../../../store/driver/tenant.ts'
import { estimateChecks } from '../../../store/finops/estimate-checks.ts'
import { dueEstimateChecks } from '../../../store/platform/due-estimate-checks.ts'
import { recordedPlan } from '../../api/infrastructure/recorded-plan.ts'
import { testPlan } from '../../../domain/infrastructure/test-plan.ts'
import { testBills, type TestCharge } from '../../harness/bills.ts'
import { countStatements } from '../../harness/count-statements.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { holdResources, type TestHeld } from '../../harness/finops/held-resources.ts'
import { ownedWorkspace } from '../../harness/owned-workspace.ts'

const id = (name: string) => `arn:aws:ec2:eu-west-1:1:instance/i-${name}`
const address = (name: string) => `aws_instance.${name}`
/** Twenty days ago: the bills of tests go on to today. */
const today = new Date().toISOString().slice(0, 10)
const applied = dayAfter(today, -20)

describe('checkEstimates', () => {
  let harness: Harness
  let made: Awaited<ReturnType<typeof ownedWorkspace>>
  let bills: ReturnType<typeof testBills>
  let runId: number
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())
  beforeEach(async () => {
    made = await ownedWorkspace(harness)
    bills = testBills(harness.deps.store, made.org.id)
    const run = await made.owner.post(`${made.url}/plan`, {})
    runId = run.json().run.id
    const at = { organizationId: made.org.id, workspaceRunId: runId }
    await recordedPlan(harness, at, testPlan([]))
  })

  const hold = async (day: string, names: string[], type = 'm5.large') => {
    const held = names.map((name): TestHeld => ({
      cloudId: id(name),
      address: address(name),
      attributes: { instance_type: type },
    }))
    const at = { organizationId: made.org.id, workspaceId: made.workspace.id, day }
    await holdResources(harness.deps.store, at, held)
  }
  const apply = async (estimate: PlanEstimate) =>
    harness.deps.store.tenant(made.org.id, async (tenant) => {
      const { db, organizationId } = unwrap(tenant)
      const at = { organizationId, runId, estimate: JSON.stringify(estimate), applied }
      await db.raw(`update plans set estimate = :estimate where workspace_run_id = :runId`, at)
      await db.raw(
        `update workspace_runs set kind = 'apply', phase = 'succeeded', cost = :cost where id = :runId`,
        { ...at, cost: JSON.stringify({ delta: 73, currency: 'USD', coverage: { ratio: 0.5 } }) },
      )
      await db.raw(
        `insert into apply_attempts (workspace_run_id, organization_id, fence, worker, ended_at, exit_code)
         values (:runId, :organizationId, 1, 'w', :applied::date + interval '12 hours', 0)`,
        at,
      )
    })
  /** A charge a day, counted from the day of the apply. */
  const daily = (
    name: string,
    [from, to]: [number, number],
    cost: number,
    more: TestCharge = {},
  ): TestCharge[] =>
    Array.from({ length: to - from + 1 }, (_, at) => ({
      day: dayAfter(applied, from + at),
      resource_id: id(name),
      effective_cost: String(cost),
      ...more,
    }))
  const load = async (charges: TestCharge[]) => {
    const sourceId = await bills.source('bill')
    const months = Map.groupBy(charges, ({ day }) => `${String(day).slice(0, 7)}-01`)
    for (const [period, ofMonth] of months) {
      const slice = await bills.reading(sourceId, ofMonth, period)
      await swapSlice(harness.deps.store, { organizationId: made.org.id, sliceId: slice.id })
    }
  }
  const check = async () => {
    await checkEstimates(harness.deps.store, made.org.id)
    return harness.deps.store.tenant(made.org.id, async (tenant) =>
      estimateChecks(tenant).ofRun(runId),
    )
  }
  const created = (name: string, delta = '73') =>
    ({ address: address(name), side: 'created', delta }) as const

  test('a created, a changed and a deleted resource beside the bill, by address', async () => {
    await hold(dayAfter(applied, -15), ['gone', 'grown'])
    await hold(applied, ['new', 'grown'], 'm5.xlarge')
    await load([
      ...daily('gone', [-15, 0], 2.4),
      ...daily('grown', [-15, -1], 2.4),
      ...daily('grown', [0, 12], 4.8),
      ...daily('new', [0, 12], 2.4),
      ...daily('new', [3, 3], 900, { charge_category: 'Purchase' }),
      ...daily('elsewhere', [-15, 12], 50),
    ])
    await apply({
      resources: [
        created('new'),
        { address: address('grown'), side: 'changed', delta: '73' },
        { address: address('gone'), side: 'deleted', delta: '-73' },
        created('unbilled', '10'),
      ],
      others: 1,
    })
    expect(await check()).toMatchObject([
      {
        afterDays: 7,
        day: dayAfter(applied, 7),
        predicted: 73,
        billed: 73,
        coverage: 0.6,
        resources: [
          { address: address('new'), predicted: 73, billed: 73 },
          { address: address('grown'), predicted: 73, billed: 73 },
          { address: address('gone'), predicted: -73, billed: -73 },
          { address: address('unbilled'), predicted: 10, billed: null },
        ],
      },
    ])
  })

  test('not before all bills are complete through that day, and then once', async () => {
    await hold(applied, ['new'])
    await apply({ resources: [created('new')], others: 0 })
    await load(daily('new', [0, 6], 2.4))
    expect(await check()).toEqual([])
    await load(daily('new', [0, 7], 2.4))
    const [first] = await check()
    expect(first).toMatchObject({ afterDays: 7, billed: 73 })
    await load(daily('new', [0, 8], 9))
    expect(await check()).toEqual([first])
    const due = await dueEstimateChecks(harness.deps.store.platform, 10_000)
    expect(due.map(({ organizationId }) => organizationId)).not.toContain(made.org.id)
  })

  test('two workers at once: one reads the charges, and the other leaves the organization to it', async () => {
    const { store } = harness.deps
    await hold(applied, ['new'])
    await load(daily('new', [0, 12], 2.4))
    await apply({ resources: [created('new')], others: 0 })
    await store.tenant(made.org.id, async (tenant) => {
      expect(await estimateChecks(tenant).claim()).toBe(true)
      expect(await check()).toEqual([])
    })
    const { statements } = await countStatements(async () =>
      Promise.all([1, 2].map(async () => checkEstimates(store, made.org.id))),
    )
    expect(statements.filter((sql) => sql.includes('focus_charges'))).toHaveLength(1)
    expect(await check()).toMatchObject([{ billed: 73 }])
  })

  test('a later change of the resource ends its days', async () => {
    await hold(applied, ['new'])
    await hold(dayAfter(applied, 5), ['new'], 'm5.24xlarge')
    await load([...daily('new', [0, 4], 2.4), ...daily('new', [5, 12], 240)])
    await apply({ resources: [created('new')], others: 0 })
    expect(await check()).toMatchObject([{ billed: 73, coverage: 1 }])
  })

  test('200: the run shows it, and a workspace whose estimate is off by 20 % is named', async () => {
    await hold(applied, ['new'])
    await load(daily('new', [0, 12], 2.4))
    await apply({ resources: [created('new', '60')], others: 0 })
    await check()
    const shown = (await made.owner.get(`${made.url}/runs/${runId}`)).json().run
    expect(shown.estimate).toMatchObject({
      predictedMonthly: 73,
      coverage: 0.5,
      checks: [
        { afterDays: 7, at: dayAfter(applied, 7), predicted: 60, billed: 73, ratio: 1.2167 },
      ],
    })
    const { workspace } = (await made.owner.get(made.url)).json()
    expect(workspace.warnings).toEqual([
      {
        code: 'estimate_off',
        runId,
        afterDays: 7,
        at: dayAfter(applied, 7),
        currency: 'USD',
        predicted: 60,
        billed: 73,
      },
    ])
  })

  test('another organization that holds the same id is not looked at', async () => {
    const other = await ownedWorkspace(harness)
    await holdResources(
      harness.deps.store,
      { organizationId: other.org.id, workspaceId: other.workspace.id, day: applied },
      [{ cloudId: id('new'), address: address('new') }],
    )
    await load(daily('new', [0, 12], 2.4))
    await apply({ resources: [created('new')], others: 0 })
    expect(await check()).toMatchObject([{ billed: 0, coverage: 0 }])
  })
})
