import { describe, expect, test } from 'vitest'
import { judgeCost, type CostQuestion } from './judge-cost.ts'
import { presentCost } from './present-cost.ts'
import type { PricedPlan, PricedResource, UnpricedReason } from './price-resources.ts'

const unknown = (address: string, unpricedBecause: UnpricedReason): PricedResource => ({
  address,
  type: 'aws_instance',
  priced: 'none',
  unpricedBecause,
  before: '0',
  after: null,
  delta: null,
  priceCurrency: 'EUR',
})
const plan = (after: string, ...resources: PricedResource[]): PricedPlan => ({
  before: '1',
  after,
  delta: '0',
  currency: 'USD',
  resources,
  coverage: { priced: 1, free: 0, unpriced: resources.length, ratio: 0.5 },
})
const judge = (priced: PricedPlan, fields: Partial<CostQuestion> = {}) =>
  judgeCost({ priced, costLimitMonthly: '100', unpriced: 'deny', ...fields })

describe('judgeCost', () => {
  test.each([
    ['99.99', 'pass', undefined],
    ['100', 'pass', undefined],
    ['100.000000000001', 'fail', 'cost_exceeded'],
  ])('%s of a limit of 100: %s', (after, result, reason) => {
    expect(judge(plan(after), { costLimitMonthly: '100.00' })).toMatchObject(
      reason ? { result, reason } : { result, findings: [] },
    )
  })

  test('says by how much', () => {
    expect(judge(plan('120.5')).findings).toEqual([
      {
        level: 'deny',
        message: 'The planned cost of 120.5 USD a month is over the limit of 100 USD.',
      },
    ])
  })

  test('a limit of 0 is a limit', () => {
    expect(judge(plan('0.01'), { costLimitMonthly: '0' }).reason).toBe('cost_exceeded')
    expect(judge(plan('0'), { costLimitMonthly: '0' }).result).toBe('pass')
  })

  test('something without a price under a limit is cost_unknown', () => {
    const verdict = judge(plan('1', unknown('aws_instance.a', 'no_price')))
    expect(verdict).toMatchObject({ result: 'fail', reason: 'cost_unknown' })
    expect(verdict.findings).toEqual([
      {
        level: 'deny',
        resource: 'aws_instance.a',
        message:
          'aws_instance.a has no price: no entry of the price book matches this aws_instance.',
      },
    ])
  })

  test('unless the workspace allows it: then a warning', () => {
    const verdict = judge(plan('1', unknown('a.a', 'no_price')), { unpriced: 'allow' })
    expect(verdict).toMatchObject({ result: 'warn', findings: [{ level: 'warn' }] })
    expect(verdict.reason).toBeUndefined()
  })

  test('what is known to be over the limit is over it, whatever else is unknown', () => {
    const priced = plan('101', unknown('a.a', 'no_price'))
    expect(judge(priced)).toMatchObject({ result: 'fail', reason: 'cost_exceeded' })
    expect(judge(priced).findings).toHaveLength(2)
    expect(judge(priced, { unpriced: 'allow' }).reason).toBe('cost_exceeded')
  })

  test('no limit: passes, and tells what has no price', () => {
    const verdict = judge(plan('1000000', unknown('a.a', 'no_price')), { costLimitMonthly: null })
    expect(verdict).toMatchObject({ result: 'pass', findings: [{ level: 'info' }] })
  })

  test('a removed resource without a price does not count', () => {
    const removed = { ...unknown('a.a', 'no_price'), before: null, after: '0' }
    expect(judge(plan('1', removed))).toEqual({ result: 'pass', findings: [] })
  })

  test.each<[UnpricedReason, RegExp]>([
    ['currency_mismatch', /no price in USD: the price that matches is in EUR/],
    ['unknown_attributes', /not known from the plan/],
  ])('says why: %s', (reason, message) => {
    expect(judge(plan('1', unknown('a.a', reason))).findings[0]?.message).toMatch(message)
  })

  test('a limit that cannot be read is no free pass', () => {
    expect(judge(plan('1'), { costLimitMonthly: 'a lot' })).toMatchObject({
      result: 'error',
      reason: 'cost_unknown',
    })
  })

  test('the findings are bounded', () => {
    const many = Array.from({ length: 150 }, (_, n) => unknown(`a.a[${n}]`, 'no_price'))
    const { findings } = judge(plan('1', ...many))
    expect(findings).toHaveLength(101)
    expect(findings.at(-1)?.message).toBe('50 more resources have no price.')
  })
})

test('presentCost gives numbers', () => {
  expect(presentCost({ ...plan('70.08'), delta: '69.08' })).toEqual({
    before: 1,
    after: 70.08,
    delta: 69.08,
    currency: 'USD',
    coverage: { priced: 1, free: 0, unpriced: 0, ratio: 0.5 },
  })
})
