import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { learnPrices } from '../../../app/finops/learn-prices.ts'
import { swapSlice } from '../../../app/finops/swap-slice.ts'
import { dayAfter } from '../../../domain/finops/anomalies/days.ts'
import { learnedPrices } from '../../../store/finops/learned-prices.ts'
import { prices } from '../../../store/finops/prices.ts'
import { testBills, type TestCharge } from '../../harness/bills.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { holdResources, type TestHeld } from '../../harness/finops/held-resources.ts'
import { ownedWorkspace } from '../../harness/owned-workspace.ts'

const vm = (n: number) => `arn:aws:ec2:eu-west-1:1:instance/i-${n}`
/** A day of an instance that costs 73 a month. */
const dayOf73 = '2.4'

describe('learnPrices', () => {
  let harness: Harness
  let made: Awaited<ReturnType<typeof ownedWorkspace>>
  let bills: ReturnType<typeof testBills>
  let sourceId: number
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())
  beforeEach(async () => {
    made = await ownedWorkspace(harness)
    bills = testBills(harness.deps.store, made.org.id)
    sourceId = await bills.source()
  })

  const load = async (charges: TestCharge[], period = '2026-03-01') => {
    const { id } = await bills.reading(sourceId, charges, period)
    await swapSlice(harness.deps.store, { organizationId: made.org.id, sliceId: id })
  }
  const hold = async (held: TestHeld[], day = '2026-03-01') =>
    holdResources(
      harness.deps.store,
      { organizationId: made.org.id, workspaceId: made.workspace.id, day },
      held,
    )
  const learn = async () => learnPrices(harness.deps.store, made.org.id)
  const inStore = async () =>
    harness.deps.store.tenant(made.org.id, async (tenant) => ({
      book: (await prices(tenant).page(1_000, 0)).prices,
      unpriced: await learnedPrices(tenant).unlearned(1_000, 0),
    }))
  const priceOf = async (resourceType = 'aws_instance') =>
    (await inStore()).book
      .filter((one) => one.resourceType === resourceType)
      .map(({ monthlyPrice }) => Number(monthlyPrice))
  const reasonOf = async (resourceType = 'aws_instance') =>
    (await inStore()).unpriced
      .filter((one) => one.resourceType === resourceType)
      .map(({ because }) => because)
  /** A charge a day from one day of March to another, both included. */
  const daily = (
    resourceId: string,
    [from, to]: [number, number],
    cost: string | ((day: number) => string) = dayOf73,
    more: TestCharge = {},
  ): TestCharge[] =>
    Array.from({ length: to - from + 1 }, (_, at) => ({
      day: dayAfter('2026-03-01', from + at - 1),
      resource_id: resourceId,
      region_id: 'eu-west-1',
      effective_cost: typeof cost === 'string' ? cost : cost(from + at),
      billed_cost: '9',
      ...more,
    }))

  test('a type, a size and a region have the effective price of a month', async () => {
    await hold([1, 2].map((n) => ({ cloudId: vm(n) })))
    await load([...daily(vm(1), [1, 31]), ...daily(vm(2), [1, 31])])
    await learn()
    const { book, unpriced } = await inStore()
    expect(unpriced).toEqual([])
    expect(book).toMatchObject([
      {
        provider: 'aws',
        resourceType: 'aws_instance',
        match: { instance_type: 'm5.large' },
        monthlyPrice: '73.000000000000',
        currency: 'USD',
        source: 'bill',
        enabled: true,
        learned: {
          sampleSize: 2,
          spread: 0,
          from: '2026-03-02',
          to: '2026-03-30',
          region: 'eu-west-1',
        },
      },
    ])
  })

  test('purchases, taxes, credits and corrections do not change it', async () => {
    await hold([{ cloudId: vm(1) }])
    const other = (day: number, more: TestCharge) =>
      daily(vm(1), [day, day], '500', { charge_description: 'other', ...more })
    await load([
      ...daily(vm(1), [1, 31]),
      ...other(5, { charge_category: 'Purchase' }),
      ...other(6, { charge_category: 'Tax' }),
      ...other(7, { charge_category: 'Credit', effective_cost: '-500' }),
      ...other(8, { charge_category: 'Adjustment' }),
      ...other(9, { charge_class: 'Correction' }),
    ])
    await learn()
    expect(await priceOf()).toEqual([73])
  })

  test('a resource of eight days with parts of days at its ends counts by its whole days', async () => {
    await hold([{ cloudId: vm(1) }])
    await load([
      ...daily(vm(1), [10, 17], (day) => (day === 10 ? '0.1' : day === 17 ? '0.2' : dayOf73)),
      ...daily('other', [1, 31]),
    ])
    await learn()
    expect((await inStore()).book).toMatchObject([
      {
        monthlyPrice: '73.000000000000',
        learned: { from: '2026-03-11', to: '2026-03-16', sampleSize: 1 },
      },
    ])
  })

  test('a tax of a day before the resource was there does not begin its life', async () => {
    await hold([{ cloudId: vm(1) }])
    const tax = daily(vm(1), [1, 1], '7', { charge_category: 'Tax' })
    await load([...tax, ...daily(vm(1), [10, 31])])
    await learn()
    expect((await inStore()).book).toMatchObject([
      { monthlyPrice: '73.000000000000', learned: { from: '2026-03-11' } },
    ])
  })

  test('of a resize each size has its own price, without the day of the change', async () => {
    const at = (size: string) => [{ cloudId: vm(1), attributes: { instance_type: size } }]
    await hold(at('m5.large'))
    await hold(at('m5.xlarge'), '2026-03-15')
    await load(daily(vm(1), [1, 31], (day) => (day < 15 ? '2.4' : day === 15 ? '3.3' : '4.8')))
    await learn()
    expect(await priceOf()).toEqual([146, 73])
  })

  test('a window of two months joins both bills', async () => {
    await hold([{ cloudId: vm(1) }], '2026-01-01')
    await load(daily(vm(1), [-10, 0]), '2026-02-01')
    await load(daily(vm(1), [1, 10]))
    await learn()
    expect((await inStore()).book).toMatchObject([
      { monthlyPrice: '73.000000000000', learned: { from: '2026-02-19', to: '2026-03-09' } },
    ])
  })

  test.each<[string, Partial<TestHeld>, (day: number) => string, string]>([
    ['grows by use', {}, (day) => String(day), 'no_stable_price'],
    ['was not paid', {}, () => '0', 'no_cost'],
    [
      'has a type whose sizes are not known, alone',
      { type: 'aws_sfn_state_machine', attributes: {} },
      () => '1',
      'too_few_resources',
    ],
    ['lived for four days', {}, (day) => (day > 27 ? '1' : ''), 'too_few_days'],
  ])('no price of what %s, and it says why', async (_, held, cost, because) => {
    await hold([{ cloudId: vm(1), ...held }])
    await load(daily(vm(1), [1, 31], cost).filter(({ effective_cost }) => effective_cost !== ''))
    await learn()
    expect(await reasonOf(held.type)).toEqual([because])
    expect((await inStore()).book).toEqual([])
  })

  test('resources of one size that cost otherwise have no price', async () => {
    await hold([1, 2, 3, 4].map((n) => ({ cloudId: vm(n) })))
    await load([1, 2, 3, 4].flatMap((n) => daily(vm(n), [1, 31], String(n))))
    await learn()
    expect(await reasonOf()).toEqual(['no_stable_price'])
  })

  test('another currency is converted at the rate of the month, and without one there is no price', async () => {
    await hold([{ cloudId: vm(1) }])
    await load(daily(vm(1), [1, 31], dayOf73, { billing_currency: 'EUR' }))
    await learn()
    expect(await reasonOf()).toEqual(['no_exchange_rate'])
    await bills.ask(`insert into exchange_rates (organization_id, month, base, quote, rate, kind)
      values (:organizationId, '2026-03-01', 'EUR', 'USD', 2, 'person')`)
    await learn()
    expect(await priceOf()).toEqual([146])
    expect(await reasonOf()).toEqual([])
  })

  test('what a script holds is matched by its input, and has no price without a size', async () => {
    const type = 'terraform_data'
    await hold([
      { cloudId: vm(1), type },
      { cloudId: vm(2), type, attributes: { region: 'eu-west-1' } },
    ])
    await load([...daily(vm(1), [1, 31]), ...daily(vm(2), [1, 31])])
    await learn()
    const { book, unpriced } = await inStore()
    expect(book).toMatchObject([
      { provider: 'terraform', match: { 'input.instance_type': 'm5.large' } },
    ])
    expect(unpriced).toEqual([])
  })
})
