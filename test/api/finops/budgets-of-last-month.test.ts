import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { evaluateBudgets } from '../../../app/finops/evaluate-budgets.ts'
import { dayAfter } from '../../../domain/finops/anomalies/days.ts'
import { unwrap, type Tenant } from '../../../store/driver/tenant.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { dayAgo, loadSums, type DaySum } from './sums-of-bill.ts'

const firstOf = (month: string): string => `${month}-01`
const thisMonth = dayAgo(0).slice(0, 7)
const nextMonth = dayAfter(firstOf(thisMonth), 31).slice(0, 7)
const lastDay = dayAfter(firstOf(nextMonth), -1)
const dayBeforeMonth = dayAfter(firstOf(thisMonth), -1)
const lastMonth = dayBeforeMonth.slice(0, 7)
const at = (month: string, day: string): Date => new Date(`${month}-${day}T12:00:00Z`)

describe('budgets of the month before', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  async function world(amountMonthly = 100) {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const body = { name: 'Shop', amountMonthly, scopeKind: 'all' }
    expect((await owner.post('/api/finops/budgets', body)).statusCode).toBe(201)
    const inOrg = async <T>(work: (tenant: Tenant) => Promise<T>): Promise<T> =>
      harness.deps.store.tenant(org.id, work)
    return {
      inOrg,
      load: async (rows: DaySum[], completeThrough = lastDay) =>
        loadSums(harness, { organizationId: org.id, completeThrough, rows }),
      evaluate: async (now: Date) => inOrg(async (tenant) => evaluateBudgets(tenant, now)),
      told: async () =>
        inOrg(async (tenant) =>
          unwrap(tenant)
            .db('notices')
            .whereLike('event', 'budget.%')
            .orderBy('id')
            .select('event', 'dedupeKey', 'detail'),
        ),
    }
  }

  test('one that its last days exceed is told, once', async () => {
    const { load, evaluate, told } = await world()
    await load([{ day: lastDay, amount: 120 }])
    const evaluateTwice = [evaluate(at(nextMonth, '02')), evaluate(at(nextMonth, '02'))]
    await Promise.all(evaluateTwice)
    await evaluate(at(nextMonth, '07'))
    expect(await told()).toMatchObject([
      {
        event: 'budget.exceeded',
        dedupeKey: thisMonth,
        detail: { month: thisMonth, state: 'exceeded', actual: 120, forecast: null },
      },
    ])
  })

  test('one that was told of in its month is not told again', async () => {
    const { load, evaluate, told } = await world()
    await load([{ day: lastDay, amount: 120 }])
    await evaluate(new Date(`${lastDay}T20:00:00Z`))
    await evaluate(at(nextMonth, '02'))
    expect(await told()).toHaveLength(1)
  })

  test('cost of both months is told for each', async () => {
    const { load, evaluate, told } = await world()
    const rows = [
      { day: lastDay, amount: 120 },
      { day: firstOf(nextMonth), amount: 130 },
    ]
    await load(rows, dayAfter(lastDay, 1))
    await evaluate(at(nextMonth, '02'))
    expect((await told()).map(({ dedupeKey, detail }) => [dedupeKey, detail.actual])).toEqual([
      [nextMonth, 130],
      [thisMonth, 120],
    ])
  })

  test('one that came close, or whose month has ended a week ago, is not told', async () => {
    const { load, evaluate, told } = await world()
    await load([{ day: lastDay, amount: 95 }])
    await evaluate(at(nextMonth, '02'))
    await load([{ day: lastDay, amount: 120 }])
    await evaluate(at(nextMonth, '08'))
    expect(await told()).toEqual([])
  })

  test('one that was made after the month is not told of it', async () => {
    const { load, evaluate, told } = await world()
    await load([{ day: dayBeforeMonth, amount: 120 }], dayBeforeMonth)
    await evaluate(at(thisMonth, '02'))
    expect(await told()).toEqual([])
  })

  test('one that is older is, and only figures of the new month are kept', async () => {
    const { inOrg, load, evaluate, told } = await world()
    await inOrg(async (tenant) =>
      unwrap(tenant)
        .db('budgets')
        .update({ createdAt: `${dayBeforeMonth}T23:00:00Z` }),
    )
    await load([{ day: dayBeforeMonth, amount: 120 }], dayBeforeMonth)
    await evaluate(at(thisMonth, '02'))
    expect(await told()).toMatchObject([{ dedupeKey: lastMonth, detail: { month: lastMonth } }])
    const kept = await inOrg(async (tenant) =>
      unwrap(tenant).db('budget_figures').select('figures'),
    )
    expect(kept).toMatchObject([{ figures: { actual: '0.000000000000' } }])
  })
})
