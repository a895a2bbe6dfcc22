import { afterAll, beforeAll, expect, test } from 'vitest'
import { unwrap } from '../../../store/driver/tenant.ts'
import { claimWantedFigures } from '../../../store/platform/wanted-figures.ts'
import { computeBudgetsTask } from '../../../worker/tasks/compute-budgets.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { dayAgo, loadSums } from './sums-of-bill.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

type Shown = {
  actual: number
  forecast: number | null
  forecastState: string | null
  noForecastBecause: string | null
}

const serviceOf = (n: number) => `Service ${n}`

async function world(scopes: number, budgetsOfOne = 1) {
  const org = await harness.organization()
  const viewer = await org.user('Viewer')
  await harness.deps.store.tenant(org.id, async (tenant) =>
    unwrap(tenant)
      .db('budgets')
      .insert(
        Array.from({ length: scopes * budgetsOfOne }, (_, n) => ({
          organizationId: org.id,
          name: `budget ${n}`,
          amountMonthly: 100 + n,
          scopeKind: 'service',
          scopeValue: serviceOf(n % scopes),
          threshold: 0.8,
          overBudget: 'warn',
        })),
      ),
  )
  const load = async (amount: number) => {
    const services = Array.from({ length: scopes }, (_, n) => serviceOf(n))
    const days = Array.from({ length: 40 }, (_, ago) => ago)
    const rows = days.flatMap((ago) => services.map((service) => ({ ago, amount, service })))
    await loadSums(harness, { organizationId: org.id, rows, completeThrough: dayAgo(1) })
  }
  await load(1)
  const list = async (): Promise<Shown[]> =>
    (await viewer.get('/api/finops/budgets?limit=200')).json().budgets
  return { org, viewer, load, list }
}

const computed = (shown: readonly Shown[]) => shown.filter(({ forecast }) => forecast !== null)
const compute = async () => computeBudgetsTask(harness.deps).run()

test('a request computes eight forecasts; the task computes the others', async () => {
  const { viewer, list } = await world(30)
  const first = await list()
  expect(first).toHaveLength(30)
  expect(new Set(first.map(({ actual }) => actual)).size).toBe(1)
  expect(computed(first)).toHaveLength(8)
  for (const { forecast, noForecastBecause } of first)
    expect(noForecastBecause).toBe(forecast === null ? 'pending' : null)

  const payload = await viewer.get('/api/finops/cost')
  expect(computed(payload.json().budgets)).toHaveLength(16)
  // Not kept by anybody: the next one has more.
  expect([payload.headers.etag, payload.headers['cache-control']]).toEqual([undefined, 'no-store'])
  expect(computed((await viewer.get('/api/console/data')).json().cost.budgets)).toHaveLength(24)

  await compute()
  const whole = await list()
  expect(computed(whole)).toHaveLength(30)
  expect(new Set(whole.map(({ forecast }) => forecast)).size).toBe(1)
  const answer = await viewer.get('/api/finops/cost')
  expect(computed(answer.json().budgets)).toHaveLength(30)
  expect(answer.headers.etag).toMatch(/^W\//)
  expect(computed((await viewer.get('/api/console/data')).json().cost.budgets)).toHaveLength(30)
})

test('until then a budget has the forecast that was computed last, but no less than its cost', async () => {
  const { load, list } = await world(12)
  await list()
  await compute()
  const [before] = await list()
  await load(1_000)
  const after = await list()
  const forecasts = after.map(({ forecast }) => forecast ?? 0)
  expect(new Set(after.map(({ actual }) => actual)).size).toBe(1)
  // Eight of now, four of the cost before.
  const carried = after.slice(8)
  for (const { forecast, actual } of carried)
    expect(forecast).toBe(Math.max(before?.forecast ?? 0, actual))
  await compute()
  const whole = await list()
  expect(new Set(whole.map(({ forecast }) => forecast))).toEqual(new Set(forecasts.slice(0, 8)))
})

test('budgets of one scope share a forecast', async () => {
  const { list } = await world(2, 100)
  const shown = await list()
  expect(computed(shown)).toHaveLength(200)
  expect(shown.every(({ forecastState }) => forecastState !== null)).toBe(true)
})

test('the task claims each organization once, and leaves no mark', async () => {
  const { org, list } = await world(9)
  await list()
  const wanted = async () =>
    harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant)
        .db('budget_figures')
        .where({ organizationId: org.id })
        .whereNotNull('wantedAt')
        .select('budgetId'),
    )
  expect(await wanted()).toHaveLength(1)
  await Promise.all([compute(), compute()])
  expect(await wanted()).toHaveLength(0)
  expect(computed(await list())).toHaveLength(9)
})

test('a claim does not wait for figures that another transaction holds', async () => {
  const [held, free] = [await world(9), await world(9)]
  for (const { list } of [held, free]) await list()
  const { platform } = harness.deps.store
  const claimed = await platform.transaction(async (holding) => {
    await holding('budget_figures').where({ organizationId: held.org.id }).forUpdate()
    return platform.transaction(async (claiming) => {
      await claiming.raw(`set local lock_timeout = '2s'`)
      return claimWantedFigures(claiming, 20)
    })
  })
  expect(claimed).toEqual([{ organizationId: free.org.id }])
  expect(await claimWantedFigures(platform, 20)).toEqual([{ organizationId: held.org.id }])
})
