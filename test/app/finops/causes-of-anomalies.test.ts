import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { dayAfter } from '../../../domain/finops/anomalies/days.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { focusRows, type FocusRow } from '../../harness/finops/focus-rows.ts'
import { billReading, ingestSteps, type BillReading } from '../../harness/finops/ingest-steps.ts'
import { holdResources } from '../../harness/hold-resources.ts'
import { startRun } from '../../harness/runs.ts'
import type { TestWorkspace } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'

const account = '111111111111'
const arn = (id: string) => `arn:aws:ec2:us-west-2:${account}:instance/${id}`
const [grown, level, small] = ['i-0a00000000000001', 'i-0a00000000000002', 'i-0a00000000000003']
const firstDay = '2026-02-27'

/** Level cost of a month; from the first day of the anomaly on one machine costs more, another a little. */
function bill(): Record<string, string> {
  const rows = (from: string, count: number) =>
    Array.from({ length: count }, (_, n) => dayAfter(from, n)).flatMap((day): FocusRow[] => {
      const isRisen = day >= firstDay
      const row = { day, SubAccountId: account, RegionId: 'us-west-2', Tags: '{"team": "shop"}' }
      return [
        { ...row, ResourceId: grown, SkuId: 'large', cost: isRisen ? 300 : 40 },
        { ...row, ResourceId: level, SkuId: 'medium', cost: 50, Tags: '' },
        { ...row, ResourceId: small, SkuId: 'small', cost: isRisen ? 12 : 10 },
      ]
    })
  return {
    '2026-02': focusRows('2026-02', rows('2026-02-01', 28)),
  }
}

describe('what raised the cost, of real charges that the real reader loaded', () => {
  let harness: Harness
  let reading: BillReading
  let steps: Awaited<ReturnType<typeof ingestSteps>>
  let owner: TestUser
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
    steps.cloud.months = bill()
    owner = await steps.org.user('Owner')
  })

  type Applied = {
    by?: TestUser
    day: string
    resources: string[]
    delta?: number | null
    currency?: string
    of?: number
  }
  /** A run that was applied on a day, after which the workspace holds these. */
  const applied = async (
    workspace: TestWorkspace,
    {
      by = owner,
      day,
      resources,
      delta = null,
      currency = 'USD',
      of = steps.organizationId,
    }: Applied,
  ) => {
    const run = await startRun(by, workspace)
    const { platform } = harness.deps.store
    const { workspaceRunId } = await platform('pipeline_runs').where({ id: run.id }).first()
    await platform('workspace_runs')
      .where({ id: workspaceRunId })
      .update({
        phase: 'succeeded',
        endedAt: new Date(`${day}T12:00:00Z`),
        summary: JSON.stringify({ add: 1, change: 0, destroy: 0 }),
        cost: delta === null ? null : JSON.stringify({ delta, currency }),
      })
    await holdResources(
      harness.deps.store,
      { organizationId: of, workspaceId: workspace.id },
      { day, resources: resources.map(arn), runId: workspaceRunId },
    )
    return { ...run, workspaceRunId }
  }
  const anomalies = async () => (await owner.get('/api/finops/anomalies')).json().anomalies
  const workspace = async () => steps.org.workspace({ by: owner })

  test('its drivers are the machine, its SKU and its tag; its run is named first, and its author told', async () => {
    const [shop, other] = [await workspace(), await workspace()]
    const deployer = await steps.org.user('Deployer')
    await applied(other, { day: '2026-02-20', resources: [level, small] })
    const run = await applied(shop, {
      by: deployer,
      day: '2026-02-26',
      resources: [grown],
      delta: 7_000,
    })
    const beside = await applied(other, {
      day: '2026-02-27',
      resources: [level, small, 'i-0a00000000000004'],
    })
    await steps.ingest()
    const [anomaly, ...more] = await anomalies()
    expect(more).toEqual([])
    expect(anomaly).toMatchObject({ firstDay, state: 'open', subAccountId: account, childCount: 0 })
    expect(anomaly.drivers).toMatchObject([
      { dimension: 'resource', value: grown, amount: 520 },
      { dimension: 'sku', value: 'large', amount: 520 },
      { dimension: 'tag', value: 'team=shop', amount: 524 },
    ])
    expect(anomaly.runs).toEqual([
      {
        runId: run.id,
        pipelineId: shop.pipelineId,
        number: run.number,
        workspaceId: shop.id,
        workspaceName: shop.name,
        appliedAt: '2026-02-26T12:00:00.000Z',
        author: { id: deployer.id, label: deployer.email },
        predictedDelta: 7_000,
        because: 'resource',
        rise: 520,
      },
      // It changed nothing that rose; its workspace owns cost of the account and service.
      expect.objectContaining({
        runId: beside.id,
        because: 'account',
        rise: 0,
        predictedDelta: null,
      }),
    ])
    const shown = (await owner.get(`${shop.url}/runs/${run.id}`)).json().run
    expect(shown.anomalies).toMatchObject([{ id: anomaly.id, because: 'resource', firstDay }])
    const { rows: told } = await harness.deps.store.platform.raw(
      `select r.user_id as reader, n.lines from notices n join notice_readers r
         on r.organization_id = n.organization_id and r.notice_id = n.id
       where n.organization_id = ? and n.event = 'anomaly.opened'`,
      [steps.organizationId],
    )
    expect(told.map(({ reader }: { reader: number }) => reader)).toContain(deployer.id)
    expect(JSON.stringify(told)).toContain(
      `Run ${run.number} of ${shop.name}, applied on 2026-02-26`,
    )
  }, 240_000)

  test('without a run in these days it says so, and one of another organization is never named', async () => {
    const stranger = await ingestSteps(harness, reading)
    const theirs = await stranger.org.user('Owner')
    const foreign = await stranger.org.workspace({ by: theirs })
    const of = stranger.organizationId
    await applied(foreign, { by: theirs, day: '2026-02-26', resources: [grown], of })
    const shop = await workspace()
    // Four days before its first day, and on the day after its last.
    await applied(shop, { day: '2026-02-23', resources: [grown] })
    await applied(shop, { day: '2026-03-01', resources: [grown, level] })
    await steps.ingest()
    const [anomaly] = await anomalies()
    expect(anomaly.runs).toEqual([])
    const [notice] = (
      await harness.deps.store.platform.raw(
        `select lines from notices where organization_id = ? and event = 'anomaly.opened'`,
        [steps.organizationId],
      )
    ).rows
    expect(JSON.stringify(notice)).toContain('No run that was applied in these days')
  }, 240_000)

  test('a repeated ingest finds the same runs, and a restated bill takes them back with the anomaly', async () => {
    const shop = await workspace()
    await applied(shop, { day: firstDay, resources: [grown], delta: 9_000, currency: 'EUR' })
    await steps.ingest(2)
    expect(await anomalies()).toMatchObject([{ runs: [{ because: 'resource' }] }])
    const { platform } = harness.deps.store
    const named = async () =>
      platform('anomaly_runs').where({ organizationId: steps.organizationId })
    expect(await named()).toHaveLength(1)
    // The plan was priced in another currency than the bill: by the rate of its month, or not at all.
    const predicted = async () => (await anomalies())[0].runs[0].predictedDelta
    expect(await predicted()).toBeNull()
    const rate = { organizationId: steps.organizationId, month: '2026-02-01', kind: 'person' }
    await platform('exchange_rates').insert({ ...rate, base: 'EUR', quote: 'USD', rate: '1.2' })
    expect(await predicted()).toBe(10_800)
    await platform('exchange_rates').insert({ ...rate, base: 'USD', quote: 'EUR', rate: '0.9' })
    expect(await predicted()).toBe(10_000)
    const flat = (day: string): FocusRow => ({ day, cost: 100, SubAccountId: account })
    const days = Array.from({ length: 28 }, (_, n) => flat(dayAfter('2026-02-01', n)))
    steps.cloud.months['2026-02'] = focusRows('2026-02', [
      ...days,
      ...days.map((row) => ({ ...row, cost: 0 })),
      ...days.map((row) => ({ ...row, cost: 0, SkuId: 'x' })),
    ])
    await steps.ingest()
    expect(await anomalies()).toEqual([])
    expect(await named()).toEqual([])
  }, 240_000)

  test('of the whole cost it names the run whose resources of many services rose, and no other', async () => {
    const machines = Array.from({ length: 20 }, (_, n) => `i-0b000000000000${n + 10}`)
    const days = Array.from({ length: 28 }, (_, n) => dayAfter('2026-02-01', n))
    const rows = machines.flatMap((ResourceId, n) =>
      days.map((day) => ({
        day,
        ResourceId,
        ServiceName: `Service ${n}`,
        SubAccountId: account,
        RegionId: 'us-west-2',
        cost: day >= firstDay ? 14 : 10,
      })),
    )
    steps.cloud.months = { '2026-02': focusRows('2026-02', rows) }
    const [shop, other] = [await workspace(), await workspace()]
    const run = await applied(shop, { day: '2026-02-26', resources: machines })
    await applied(other, { day: '2026-02-26', resources: [level] })
    expect(await steps.ingest(2)).toMatchObject({ anomalies: 1 })
    expect(await anomalies()).toMatchObject([
      {
        scope: { kind: 'total', value: 'all' },
        impact: 160,
        drivers: [
          { dimension: 'subAccount', value: account, amount: 160, share: 1 },
          { dimension: 'region', value: 'us-west-2', amount: 160, share: 1 },
        ],
        runs: [{ runId: run.id, because: 'resource', rise: 160 }],
      },
    ])
  }, 240_000)
})
