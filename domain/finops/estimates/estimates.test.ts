import { describe, expect, test } from 'vitest'
import { testPlan, type TestChange } from '../../infrastructure/test-plan.ts'
import { priceResources, type Price } from '../price-resources.ts'
import { isOff, judgeEstimate, ratioOf } from './judge-estimate.ts'
import { planEstimate } from './plan-estimate.ts'

const price = (size: string, monthlyPrice: string, id: number): Price => ({
  id,
  provider: 'aws',
  resourceType: 'aws_instance',
  match: { instance_type: size },
  monthlyPrice,
  currency: 'USD',
  source: 'bill',
  validFrom: '2026-01-01',
})
const book = [price('small', '7', 1), price('large', '70', 2)]
const estimate = (changes: TestChange[], mask = (text: string) => text) => {
  const plan = testPlan(changes)
  const at = new Date('2026-11-21T10:00:00Z')
  return planEstimate(plan, priceResources(plan, book, { currency: 'USD', at }), mask)
}
const [small, large] = [{ instance_type: 'small' }, { instance_type: 'large' }]
const named = (name: string, change: TestChange): TestChange => ({
  address: `aws_instance.${name}`,
  ...change,
})

describe('planEstimate', () => {
  test('has each change that the bill will show, the greatest first, and counts those without a price', () => {
    expect(
      estimate([
        named('small', { actions: ['create'], after: small }),
        named('grown', { actions: ['update'], before: small, after: large }),
        named('gone', { actions: ['delete'], before: large }),
        named('forgotten', { actions: ['forget'], before: large, after: large }),
        named('same', { actions: ['update'], before: large, after: large }),
        named('untouched', { actions: ['no-op'], before: large, after: large }),
        named('unpriced', { actions: ['create'], after: { instance_type: 'other' } }),
        { address: 'null_resource.free', actions: ['create'], after: {} },
      ]),
    ).toEqual({
      resources: [
        { address: 'aws_instance.gone', side: 'deleted', delta: '-70' },
        { address: 'aws_instance.grown', side: 'changed', delta: '63' },
        { address: 'aws_instance.small', side: 'created', delta: '7' },
      ],
      others: 1,
    })
  })

  test('is bounded in number and length, and its addresses are masked', () => {
    const many = Array.from({ length: 1_500 }, (_, n) =>
      named(`a[${n}]`, { actions: ['create'], after: small }),
    )
    const { resources, others } = estimate(many)
    expect([resources.length, others]).toEqual([1_000, 500])
    const long = many.map((change) => ({ ...change, address: `aws_instance.${'x'.repeat(5_000)}` }))
    expect(JSON.stringify(estimate(long)).length).toBeLessThan(110_000)
    const [masked] = estimate(many, () => '[masked]').resources
    expect(masked?.address).toBe('[masked]')
  })
})

describe('judgeEstimate', () => {
  const one = (
    billed: { before: number | null; after: number | null },
    side: 'created' | 'changed' | 'deleted',
  ) =>
    judgeEstimate({ resources: [{ address: 'a', side, delta: '73' }], others: 0 }, [
      { address: 'a', beforeDays: 7, afterDays: 7, ...billed },
    ]).resources[0]?.billed

  test.each([
    ['created', { before: null, after: 16.8 }, 73],
    ['created', { before: null, after: null }, null],
    ['deleted', { before: 16.8, after: null }, -73],
    ['deleted', { before: null, after: null }, null],
    ['changed', { before: 16.8, after: 33.6 }, 73],
    ['changed', { before: null, after: 33.6 }, null],
    ['changed', { before: 16.8, after: null }, null],
  ] as const)('%s %o: %s', (side, billed, expected) => {
    expect(one(billed, side)).toBe(expected)
  })

  test('two days are no month', () => {
    const found = { address: 'a', before: null, beforeDays: 0, after: 4.8, afterDays: 2 }
    const resources = [{ address: 'a', side: 'created', delta: '73' }] as const
    expect(judgeEstimate({ resources: [...resources], others: 0 }, [found]).coverage).toBe(0)
  })

  test('a miss of 20 % or more is named, unless the bill says too little', () => {
    const check = { predicted: 100, billed: 120, coverage: 0.5 }
    expect(isOff(check)).toBe(true)
    expect(isOff({ ...check, billed: 80 })).toBe(true)
    expect(isOff({ ...check, billed: 119 })).toBe(false)
    expect(isOff({ ...check, coverage: 0.49 })).toBe(false)
    expect(isOff({ ...check, predicted: 0 })).toBe(false)
    expect([ratioOf(check), ratioOf({ ...check, predicted: 0 })]).toEqual([1.2, null])
  })
})
