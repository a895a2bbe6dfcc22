import { describe, expect, test } from 'vitest'
import { priceChange } from './price-change.ts'

const was = {
  provider: 'aws',
  resourceType: 'aws_instance',
  match: { instance_type: 't3.micro', ebs_optimized: true },
  monthlyPrice: 30.37,
  currency: 'USD',
  validFrom: '2026-01-01',
}

describe('what the form of a price changes', () => {
  test.each([
    ['nothing', {}],
    ['its amount alone', { monthlyPrice: 31 }],
    ['its first day, and no amount that another person set', { validFrom: '2026-02-01' }],
    ['its conditions', { match: { instance_type: 't3.small' } }],
    ['the value of a condition by its kind', { match: { ...was.match, ebs_optimized: 'true' } }],
    ['none of its conditions', { match: {} }],
  ])('%s', (_, typed) => {
    expect(priceChange({ ...was, ...typed }, was)).toEqual(typed)
  })

  test('nothing by another order of its conditions', () => {
    const match = { ebs_optimized: true, instance_type: 't3.micro' }
    expect(priceChange({ ...was, match }, was)).toEqual({})
  })
})
