import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { charge, storeCharges } from '../../harness/cost-rows.ts'
import { countStatements } from '../../harness/count-statements.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestUser } from '../../harness/test-user.ts'

const url = '/api/console/data'
const dayMs = 86_400_000
/** A statement that reads rows of cost. */
const ofCost = /cost_days|cost_daily|anomaly_series|budget_figures/

describe('the cost of GET /api/console/data', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  const costOf = async (user: TestUser) => (await user.get(url)).json().cost
  const spend = async (organizationId: number, days: readonly string[], effective: string) =>
    storeCharges(
      harness.deps.store.platform,
      organizationId,
      days.map((day) => charge({ day, effective })),
    )
  const lastDays = (count: number) =>
    Array.from({ length: count }, (_, n) =>
      new Date(Date.now() - n * dayMs).toISOString().slice(0, 10),
    )

  test('200: the month is compared with the same days of the month before', async () => {
    const org = await harness.organization()
    const viewer = await org.user('Viewer')
    const now = new Date()
    const [year, month, today] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
    const lengthBefore = new Date(Date.UTC(year, month, 0)).getUTCDate()
    const before = Array.from({ length: lengthBefore }, (_, n) =>
      new Date(Date.UTC(year, month - 1, n + 1)).toISOString().slice(0, 10),
    )
    const own = lastDays(today)
    await spend(org.id, [...before, ...own], '3')
    expect(await costOf(viewer)).toMatchObject({
      monthToDate: 3 * today,
      monthBefore: 3 * Math.min(today, lengthBefore),
    })
  })

  test('200: as many days of both months are compared, where the last ones are not complete', async () => {
    const org = await harness.organization()
    const viewer = await org.user('Viewer')
    const now = new Date()
    const today = now.getUTCDate()
    const before = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 0))
    const lengthBefore = before.getUTCDate()
    await spend(org.id, lastDays(today + lengthBefore), '3')
    const { platform } = harness.deps.store
    const [yesterday] = lastDays(2).slice(1)
    await platform('billing_slices')
      .where({ organizationId: org.id })
      .where('completeThrough', '>', yesterday ?? '')
      .update({ completeThrough: yesterday })
    const isFirst = today === 1
    expect(await costOf(viewer)).toMatchObject({
      monthToDate: 3 * today,
      monthComplete: isFirst ? null : 3 * (today - 1),
      monthBefore: isFirst ? null : 3 * Math.min(today - 1, lengthBefore),
    })
  })

  test('200: old money without a rate leaves the forecast, that of the last weeks does not', async () => {
    const forecastOf = async (ago: number) => {
      const org = await harness.organization()
      const unrated = { day: lastDays(ago + 1).at(-1) ?? '', currency: 'EUR', effective: '1' }
      const rated = lastDays(90).map((day) => charge({ day, effective: '3' }))
      const charges = [...rated, charge({ ...unrated, source: 'europe' })]
      // The other source is complete through the same day, so that it does not count as late.
      const today = charge({ day: lastDays(1).at(-1) ?? '', effective: '0', source: 'europe' })
      await storeCharges(harness.deps.store.platform, org.id, [...charges, today])
      return (await costOf(await org.user('Viewer'))).forecast
    }
    expect(await forecastOf(80)).toBeGreaterThan(0)
    expect(await forecastOf(40)).toBe(null)
    expect(await forecastOf(0)).toBe(null)
  })

  test('200: cost is read once for a version of it, and anew after each change', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const stranger = await (await harness.organization()).user('Owner')
    await spend(org.id, lastDays(30), '2')
    const first = await costOf(owner)
    const { answer, statements } = await countStatements(async () => costOf(owner))
    expect(answer).toEqual(first)
    expect(statements.filter((sql) => ofCost.test(sql))).toEqual([])
    expect((await costOf(stranger)).monthToDate).toBe(0)

    const budget = { name: 'all', amountMonthly: 1, scopeKind: 'all' }
    const made = (await owner.post('/api/finops/budgets', budget)).json().budget
    expect((await costOf(owner)).budgets).toMatchObject([{ name: 'all', state: 'exceeded' }])
    await owner.patch(`/api/finops/budgets/${made.id}`, { amountMonthly: 1e9 })
    expect((await costOf(owner)).budgets).toMatchObject([{ state: 'ok' }])
    await spend(org.id, lastDays(30), '5')
    expect((await costOf(owner)).monthToDate).toBe(2.5 * first.monthToDate)
    await owner.patch('/api/org/settings', { currency: 'EUR' })
    expect(await costOf(owner)).toMatchObject({ currency: 'EUR', monthToDate: 0 })
  })

  test('200: eight requests at once read the cost once', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    await spend(org.id, lastDays(10), '1')
    const { statements } = await countStatements(async () =>
      Promise.all(Array.from({ length: 8 }, async () => costOf(owner))),
    )
    expect(statements.filter((sql) => /"ofMonthBefore"/.test(sql))).toHaveLength(1)
  })
})
