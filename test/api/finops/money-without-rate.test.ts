import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { charge, storeCharges } from '../../harness/cost-rows.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { dayAgo, loadSums, type DaySum } from './sums-of-bill.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

const window = 'from=2026-03-01&to=2026-03-31'
const answers = (urlOfUnit: string) => [
  `/api/finops/cost?${window}`,
  `/api/finops/cost/series?${window}&groupBy=service`,
  `/api/finops/cost/series?${window}&groupBy=provider`,
  `${urlOfUnit}?${window}`,
]

async function worldWithUnit() {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const unit = { name: 'Orders', unit: 'order', scopeKind: 'all' }
  const made = await owner.post('/api/finops/units', unit)
  expect(made.statusCode, made.body).toBe(201)
  return { org, owner, urls: answers(`/api/finops/units/${made.json().unit.id}`) }
}

describe('money of 0 in a currency without a rate', () => {
  test('leaves the states of budgets known', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const rows: DaySum[] = [{ amount: 120 }, { amount: 0, currency: 'XXX' }]
    await loadSums(harness, { organizationId: org.id, rows })
    const make = async (amountMonthly: number) => {
      const budget = { name: `Of ${amountMonthly}`, amountMonthly, scopeKind: 'all' }
      return (await owner.post('/api/finops/budgets', budget)).json().budget
    }
    const [exceeded, kept] = [await make(100), await make(1_000)]
    expect(exceeded).toMatchObject({ actual: 120, state: 'exceeded' })
    expect(kept).toMatchObject({ actual: 120, state: 'ok' })
    const unrated: DaySum[] = [...rows, { amount: 1, currency: 'XXX' }]
    await loadSums(harness, { organizationId: org.id, rows: unrated })
    const stateOf = async ({ id }: { id: number }) =>
      (await owner.get(`/api/finops/budgets/${id}`)).json().budget.state
    expect([await stateOf(exceeded), await stateOf(kept)]).toEqual(['exceeded', 'unknown'])
  })

  test('is no money without a rate in any answer; so is what cancels out', async () => {
    const { org, owner, urls } = await worldWithUnit()
    const of = (day: string, currency: string, effective: string) =>
      charge({ day: `2026-03-${day}`, currency, effective })
    await storeCharges(harness.deps.store.platform, org.id, [
      of('01', 'USD', '10'),
      of('02', 'XXX', '0'),
      of('03', 'EUR', '5'),
      of('03', 'EUR', '-5'),
      of('04', 'GBP', '7'),
      of('05', 'GBP', '-7'),
      of('06', 'CHF', '3'),
      of('06', 'CHF', '0'),
    ])
    for (const url of urls) {
      const body = (await owner.get(url)).json()
      expect(body.unconverted, url).toEqual([{ currency: 'CHF', amount: 3 }])
    }
  })
})

test('an answer names the first 200 currencies without a rate', async () => {
  const { org, owner, urls } = await worldWithUnit()
  const names = Array.from({ length: 210 }, (_, n) => `C${String(n).padStart(3, '0')}`)
  const charges = names.map((currency) => charge({ currency }))
  await storeCharges(harness.deps.store.platform, org.id, charges)
  for (const url of urls) {
    const { unconverted } = (await owner.get(url)).json()
    expect(
      unconverted.map(({ currency }: { currency: string }) => currency),
      url,
    ).toEqual(names.slice(0, 200))
  }
})

test('commitments too, also those of 0', async () => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const { platform } = harness.deps.store
  await storeCharges(platform, org.id, [charge({ day: dayAgo(0) })])
  const slice = await platform('billing_slices').where({ organizationId: org.id }).first()
  const row = (currency: string, used: number) => ({
    organizationId: org.id,
    sliceId: slice.id,
    sourceId: slice.sourceId,
    day: dayAgo(0),
    provider: 'aws',
    commitmentId: `plan ${currency}`,
    currency,
    used,
    unused: 0,
  })
  const names = Array.from({ length: 210 }, (_, n) => `C${String(n).padStart(3, '0')}`)
  await platform('cost_commitments').insert([
    row('C0', 0),
    ...names.map((currency) => row(currency, 1)),
  ])
  const url = `/api/finops/commitments?from=${dayAgo(0)}&to=${dayAgo(0)}`
  const body = (await owner.get(url)).json()
  expect(body.unconverted.map(({ currency }: { currency: string }) => currency)).toEqual(
    names.slice(0, 200),
  )
  expect(body.commitments).toMatchObject([{ id: 'plan C0', amortised: 0 }])
})

test('an id of a sub-account of Azure is found however it is written', async () => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  await storeCharges(harness.deps.store.platform, org.id, [
    charge({ subAccount: '/subscriptions/ab', effective: '3', provider: 'azure' }),
    charge({ subAccount: 'Upper', effective: '5' }),
    charge({ subAccount: null, effective: '7' }),
  ])
  const total = async (filter: string) =>
    (await owner.get(`/api/finops/cost?${window}&${filter}`)).json().total
  const series = async (filter: string) =>
    (await owner.get(`/api/finops/cost/series?${window}&groupBy=service&${filter}`)).json().total
  for (const read of [total, series]) {
    expect(await read('subAccountId=/Subscriptions/AB')).toBe(3)
    expect(await read('subAccountId=/Subscriptions/AB&region=')).toBe(3)
    expect(await read('subAccountId=Upper')).toBe(5)
    expect(await read('subAccountId=upper')).toBe(0)
    expect(await read('subAccountId=')).toBe(7)
  }
})
