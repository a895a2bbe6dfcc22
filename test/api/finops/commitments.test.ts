import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectOwner } from '../../../store/driver/connect.ts'
import { fillFromCharges } from '../../../store/migrations/0078-add-unknown-savings.ts'
import type { TestCharge } from '../../harness/bills.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { commitmentWorld, covered } from './commitment-world.ts'

describe('commitments', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  const world = async () => commitmentWorld(harness)
  const days = (from: number, count: number, used: string, unused: string, more: TestCharge = {}) =>
    Array.from({ length: count }, (_, n) => [
      covered(from + n, used, 'Used', more),
      covered(from + n, unused, 'Unused', more),
    ]).flat()

  test('200: what each cost, used, left unused and saved; the fee itself counts once', async () => {
    const { load, list } = await world()
    await load([
      covered(1, '6', 'Used'),
      covered(1, '1.000000000001', 'Used', {
        list_cost: null,
        contracted_cost: '1.500000000001',
        service_name: 'EC2',
      }),
      covered(2, '3', 'Unused'),
      covered(1, '0', 'Used', {
        charge_category: 'Purchase',
        billed_cost: '300',
        list_cost: '300',
        contracted_cost: '300',
        commitment_discount_status: null,
      }),
      // Some exports amortise the fee itself, too.
      covered(2, '40', 'Used', { charge_category: 'Purchase', commitment_discount_status: null }),
      covered(1, '2', 'Used', { commitment_discount_id: 'ri-2', commitment_discount_name: null }),
      { day: '2026-03-01', effective_cost: '50' },
    ])
    const body = await list()
    expect(body).toMatchObject({ currency: 'USD', from: '2026-03-01', to: '2026-03-31' })
    expect(body.unconverted).toEqual([])
    expect(body.commitments).toEqual([
      {
        id: 'arn:sp-1',
        name: 'one year',
        provider: 'aws',
        type: 'Savings Plan',
        category: 'Spend',
        amortised: 10.000000000001,
        used: 7.000000000001,
        unused: 3,
        utilization: 7.000000000001 / 10.000000000001,
        savings: 3.5,
      },
      expect.objectContaining({ id: 'ri-2', name: null, used: 2, unused: 0, utilization: 1 }),
    ])
    expect(body.total).toMatchObject({
      amortised: 12.000000000001,
      used: 9.000000000001,
      savings: 5.5,
      commitments: 2,
      withoutSavings: 0,
    })
    const second = await list('from=2026-03-02&to=2026-03-02')
    expect(second.commitments).toMatchObject([
      { id: 'arn:sp-1', used: 0, unused: 3, utilization: 0, savings: -3 },
    ])
    expect((await list('from=2025-03-02&to=2025-03-02')).total).toMatchObject({
      utilization: null,
      savings: 0,
      commitments: 0,
    })
  })

  test('200: savings are not known where a part of what was used has no price', async () => {
    const { load, list } = await world()
    await load([
      covered(1, '6', 'Used'),
      covered(2, '1', 'Used', { list_cost: '0', contracted_cost: '0' }),
      covered(2, '0', 'Used', { list_cost: null, service_name: 'free' }),
      covered(1, '6', 'Used', { commitment_discount_id: 'ri-2', contracted_cost: '10' }),
      covered(1, '1', 'Unused', { commitment_discount_id: 'ri-2', list_cost: null }),
    ])
    const { commitments, total } = await list()
    expect(commitments).toMatchObject([
      { id: 'arn:sp-1', used: 7, savings: null },
      // Against the negotiated price of 10, not the list price of 12; a free hour needs no price.
      { id: 'ri-2', used: 6, unused: 1, savings: 3 },
    ])
    expect(total).toMatchObject({ savings: 3, commitments: 2, withoutSavings: 1 })
    const unknown = await list('from=2026-03-02&to=2026-03-02')
    expect(unknown.total).toMatchObject({ savings: null, withoutSavings: 1 })
    expect(await list('from=2026-03-01&to=2026-03-01')).toMatchObject({
      commitments: [{ id: 'ri-2' }, { id: 'arn:sp-1', savings: 6 }],
    })
  })

  test('200: those of some providers, most unused first; 400: another order, an empty provider', async () => {
    const { load, list, viewer } = await world()
    const of = (provider: string, id: string) => ({
      provider,
      provider_name: provider === 'gcp' ? 'Google Cloud' : provider,
      commitment_discount_id: id,
    })
    await load([...days(1, 1, '50', '1', of('aws', 'a')), ...days(1, 1, '4', '6', of('aws', 'b'))])
    await load([...days(1, 1, '20', '3', of('gcp', 'c'))])
    const ids = async (query: string) =>
      (await list(`from=2026-03-01&to=2026-03-31&${query}`)).commitments.map(
        ({ id }: { id: string }) => id,
      )
    expect(await ids('')).toEqual(['a', 'c', 'b'])
    expect(await ids('sort=unused')).toEqual(['b', 'c', 'a'])
    expect(await ids('sort=unused&provider=AWS')).toEqual(['b', 'a'])
    expect(await ids('provider=google%20cloud')).toEqual(['c'])
    const body = await list('from=2026-03-01&to=2026-03-31&provider=gcp')
    expect(body).toMatchObject({
      total: { amortised: 23, unused: 3, commitments: 1 },
      providers: ['aws', 'gcp'],
    })
    for (const wrong of ['sort=savings', 'provider=', 'tagKey=a'])
      expect((await viewer.get(`/api/finops/commitments?${wrong}`)).statusCode, wrong).toBe(400)
  })

  test('200: a replaced bill replaces them, and money without a rate stands beside', async () => {
    const { org, bills, load, list } = await world()
    const sourceId = await bills.source()
    await load([covered(1, '6', 'Used')], sourceId)
    await load([covered(1, '5', 'Used')], sourceId)
    await load([covered(2, '4', 'Used', { billing_currency: 'EUR' })])
    expect(await list()).toMatchObject({
      commitments: [{ amortised: 5 }],
      unconverted: [{ currency: 'EUR', amount: 4 }],
    })
    const rate = { month: '2026-03', base: 'EUR', quote: 'USD', rate: 1.5 }
    await (await org.user('Owner')).post('/api/finops/rates', rate)
    expect(await list()).toMatchObject({ total: { amortised: 11 }, unconverted: [] })
  })

  test('200: bills that were loaded before there were sums of commitments have the same', async () => {
    const { load, list } = await world()
    await load([
      ...days(1, 3, '5', '4'),
      covered(2, '2', 'Used', { list_cost: null, commitment_discount_id: 'unpriced' }),
      covered(2, '2', 'Used', { contracted_cost: '3', commitment_discount_id: 'negotiated' }),
      covered(2, '9', 'Used', { charge_category: 'Purchase', contracted_cost: '9' }),
    ])
    const before = await list()
    expect(before.commitments).toHaveLength(3)
    const { platform } = harness.deps.store
    await platform('cost_commitments').delete()
    expect((await list()).commitments).toEqual([])
    const owner = connectOwner(harness.config.databaseUrl)
    await owner.raw(fillFromCharges)
    await owner.destroy()
    expect(await list()).toEqual(before)
  })

  test('200: another organization’s are not seen', async () => {
    const { load } = await world()
    await load([covered(1, '6', 'Used')])
    const other = await world()
    expect((await other.list()).commitments).toEqual([])
  })

  test('one under 80 % for three days is told once, by however many ingests', async () => {
    const { load, tell, told, bills } = await world()
    const sourceId = await bills.source()
    await load(days(1, 2, '5', '5'), sourceId)
    await tell()
    expect(await told()).toEqual([])
    await load(days(1, 3, '7', '3'), sourceId)
    await Promise.all([tell(), tell(), tell(), tell()])
    await load(days(1, 4, '7', '3'), sourceId)
    await tell()
    expect(await told()).toEqual([
      {
        subjectLabel: 'aws one year',
        title: '70 % of the aws commitment one year was used in 3 days',
        lines: [
          'From 2026-03-01 to 2026-03-03 it cost 30.00 USD, of which 9.00 USD was not used.',
          'It was under 80 % on each of these days.',
        ],
        detail: expect.objectContaining({ id: 'arn:sp-1', unused: 9, utilization: 0.7 }),
        path: '/cost/commitments',
      },
    ])
  })

  test('one at 80 %, under it on two days, with a gap, or over before the bill ends is not told', async () => {
    const { load, tell, told } = await world()
    const of = (id: string) => ({ commitment_discount_id: id })
    await load([
      ...days(1, 20, '8', '2', of('enough')),
      ...days(18, 1, '9', '1', of('two')),
      ...days(19, 2, '1', '9', of('two')),
      ...days(17, 2, '1', '9', of('gap')),
      ...days(20, 1, '1', '9', of('gap')),
      ...days(1, 5, '1', '9', of('ended')),
    ])
    await tell()
    expect(await told()).toEqual([])
  })

  test('an id as long as a bill can have is told as well', async () => {
    const { load, tell, told } = await world()
    await load(days(1, 3, '1', '9', { commitment_discount_id: 'x'.repeat(5_000) }))
    await tell()
    expect(await told()).toHaveLength(1)
  })
})
