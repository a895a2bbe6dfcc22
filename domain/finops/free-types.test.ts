import { expect, test } from 'vitest'
import { testPlan, type TestChange } from '../infrastructure/test-plan.ts'
import { priceResources, type Price } from './price-resources.ts'

const own: Price = {
  id: 7,
  provider: 'terraform',
  resourceType: 'terraform_data',
  match: { input: 'big' },
  monthlyPrice: '12',
  currency: 'USD',
  validFrom: '2026-01-01',
  source: 'manual',
}
const priced = (change: TestChange) =>
  priceResources(
    testPlan([
      { address: 'terraform_data.x', provider: 'terraform.io/builtin/terraform', ...change },
    ]),
    [own],
    { currency: 'USD', at: new Date('2026-11-21T10:00:00Z') },
  ).resources[0]

test('an entry of the price book for a free type counts', () => {
  const change = { actions: ['create'], after: { input: 'big' } }
  expect(priced(change)).toMatchObject({ after: '12', priced: 'price', priceId: own.id })
})

test('a free type stays free where no entry matches', () => {
  const change = { actions: ['create'], after: { input: 'small' } }
  expect(priced(change)).toMatchObject({ after: '0', priced: 'free' })
})

test('a change from a free to a priced value costs the price', () => {
  const change = { actions: ['update'], before: { input: 'small' }, after: { input: 'big' } }
  expect(priced(change)).toMatchObject({ before: '0', after: '12', delta: '12', priced: 'price' })
})

test('a free type whose entry may match after the apply has no known cost', () => {
  const change = { actions: ['create'], after: {}, unknown: { input: true } }
  expect(priced(change)).toMatchObject({ priced: 'none', unpricedBecause: 'unknown_attributes' })
})
