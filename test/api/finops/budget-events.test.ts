import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { evaluateBudgets } from '../../../app/finops/evaluate-budgets.ts'
import { unwrap, type Tenant } from '../../../store/driver/tenant.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { dayAgo, loadSums, type DaySum } from './sums-of-bill.ts'

const url = '/api/finops/budgets'

describe('events of budgets', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  async function world() {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const inOrg = async <T>(work: (tenant: Tenant) => Promise<T>): Promise<T> =>
      harness.deps.store.tenant(org.id, work)
    return {
      owner,
      load: async (rows: DaySum[]) => loadSums(harness, { organizationId: org.id, rows }),
      evaluate: async () => inOrg(async (tenant) => evaluateBudgets(tenant)),
      told: async () =>
        inOrg(async (tenant) =>
          unwrap(tenant)
            .db('notices')
            .whereLike('event', 'budget.%')
            .orderBy('id')
            .select('event', 'subjectLabel', 'dedupeKey', 'title', 'detail'),
        ),
      budget: async (fields: object) => {
        const body = { name: 'Shop', amountMonthly: 100, scopeKind: 'all', ...fields }
        const made = await owner.post(url, body)
        expect(made.statusCode, made.body).toBe(201)
        return made.json().budget
      },
    }
  }

  test('each comes once a budget and month, also where four ingests end at once', async () => {
    const { load, evaluate, told, budget } = await world()
    const month = dayAgo(0).slice(0, 7)
    await budget({})
    await budget({ name: 'Far', amountMonthly: 10_000 })
    await load([{ amount: 10 }])
    await evaluate()
    expect(await told()).toEqual([])
    await load([{ amount: 85 }])
    await Promise.all([evaluate(), evaluate(), evaluate(), evaluate()])
    expect(await told()).toMatchObject([
      { event: 'budget.warn', subjectLabel: 'Shop', dedupeKey: month },
    ])
    await load([{ amount: 120 }])
    await Promise.all([evaluate(), evaluate(), evaluate(), evaluate()])
    await evaluate()
    const events = await told()
    expect(events.map(({ event }) => event)).toEqual(['budget.warn', 'budget.exceeded'])
    expect(events[1]).toMatchObject({
      title: 'The budget Shop is exceeded',
      detail: { name: 'Shop', state: 'exceeded', actual: 120, amountMonthly: 100, currency: 'USD' },
    })
  })

  test('one that is exceeded at once does not warn when the bill is corrected', async () => {
    const { load, evaluate, told, budget } = await world()
    await budget({})
    await load([{ amount: 150 }])
    await evaluate()
    await load([{ amount: 90 }])
    await evaluate()
    expect((await told()).map(({ event }) => event)).toEqual(['budget.exceeded'])
  })

  test('a forecast at the amount warns', async () => {
    const { owner, load, evaluate, told, budget } = await world()
    const made = await budget({ amountMonthly: 250 })
    const rows = Array.from({ length: 90 }, (_, ago) => ({ ago, amount: 10 }))
    await load(rows)
    const read = (await owner.get(`${url}/${made.id}`)).json().budget
    const daysOfMonth = new Date(Date.UTC(...monthAfter(), 0)).getUTCDate()
    expect(read.forecast).toBeCloseTo(daysOfMonth * 10, 3)
    expect(read.forecastLow).toBeLessThanOrEqual(read.forecast)
    expect(read.forecastHigh).toBeGreaterThanOrEqual(read.forecast)
    expect(read.forecastState).toBe('exceeded')
    await evaluate()
    expect((await told()).length).toBe(1)
  })
})

const monthAfter = (): [number, number] => {
  const now = new Date()
  return [now.getUTCFullYear(), now.getUTCMonth() + 1]
}
