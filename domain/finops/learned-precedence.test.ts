import { describe, expect, test } from 'vitest'
import { testPlan, type TestChange } from '../infrastructure/test-plan.ts'
import { hasMoved, isRefuted, whyUnlearned, type BilledGroup } from './learned-price.ts'
import { priceResources, type Price } from './price-resources.ts'

let id = 0
const price = (monthlyPrice: string, fields: Partial<Price> = {}): Price => {
  id += 1
  return {
    id,
    provider: 'aws',
    resourceType: 'aws_instance',
    match: { instance_type: 'm5.large' },
    monthlyPrice,
    currency: 'USD',
    source: 'bill',
    validFrom: '2026-01-01',
    ...fields,
  }
}
const vm = (more: object = {}, unknown: unknown = {}): TestChange => ({
  actions: ['create'],
  after: { instance_type: 'm5.large', ...more },
  unknown,
})
const first = (change: TestChange, prices: Price[], rest: Record<string, unknown> = {}) =>
  priceResources(testPlan([change], rest), prices, {
    currency: 'USD',
    at: new Date('2026-11-21T10:00:00Z'),
  }).resources[0]

const name = 'registry.example/hashicorp/aws'
const configured = (...regions: unknown[]) => ({
  configuration: {
    root_module: {},
    provider_config: Object.fromEntries(
      regions.map((region, at) => [
        `aws.${at}`,
        { full_name: name, expressions: region === null ? {} : { region } },
      ]),
    ),
  },
  variables: { place: { value: 'us-east-1' } },
})

describe('prices of the bill', () => {
  test('a person’s price stands above, even if it names less; the list’s stands below', () => {
    const bill = price('70')
    const list = price('90', { source: 'list', match: { instance_type: 'm5.large', a: 'b' } })
    expect(first(vm({ a: 'b' }), [list, bill])?.after).toBe('70')
    expect(first(vm(), [bill, price('60', { source: 'contract', match: {} })])?.after).toBe('60')
    expect(first(vm({ a: 'b' }), [list])?.after).toBe('90')
  })

  const regional = [price('70', { region: 'eu-west-1' }), price('60', { region: 'us-east-1' })]
  test.each<[string, object, Record<string, unknown>, string | null]>([
    ['its region', { region: 'us-east-1' }, {}, '60'],
    ['its availability zone', { availability_zone: 'us-east-1a' }, {}, '60'],
    ['its ARN', { arn: 'arn:aws:ec2:us-east-1:1:instance/i-1' }, {}, '60'],
    ['its provider', {}, configured({ constant_value: 'us-east-1' }), '60'],
    ['a variable of its provider', {}, configured({ references: ['var.place'] }), '60'],
    ['no price of another region', { region: 'ap-south-1' }, {}, null],
    ['nothing', {}, {}, null],
    [
      'providers of two regions',
      {},
      configured({ constant_value: 'us-east-1' }, { constant_value: 'eu-west-1' }),
      null,
    ],
    ['a provider whose region is elsewhere', {}, configured(null), null],
    [
      'an expression of its provider',
      {},
      configured({ references: ['local.a', 'var.place'] }),
      null,
    ],
  ])('the region of a resource is told by %s', (...[, values, rest, amount]) => {
    expect(first(vm(values), regional, rest)?.after).toBe(amount)
  })

  test('an unknown region takes the only price, and one that all regions agree on is no guess', () => {
    expect(first(vm(), regional.slice(0, 1))?.after).toBe('70')
    const any = price('5', { source: 'list' })
    expect(first(vm(), [...regional, any])?.unpricedBecause).toBe('unknown_attributes')
    expect(
      first(vm(), [...regional.map((one) => ({ ...one, monthlyPrice: '5' })), any])?.after,
    ).toBe('5')
  })

  test('Azure’s names of regions and Google’s zones are those of the bill', () => {
    const of = (type: string, values: object, region: string) =>
      first({ address: `${type}.a`, actions: ['create'], after: values }, [
        price('9', { provider: type.split('_')[0] ?? '', resourceType: type, match: {}, region }),
        price('8', {
          provider: type.split('_')[0] ?? '',
          resourceType: type,
          match: {},
          region: 'x',
        }),
      ])?.after
    expect(of('azurerm_managed_disk', { location: 'West Europe' }, 'westeurope')).toBe('9')
    expect(of('google_compute_disk', { zone: 'us-central1-a' }, 'us-central1')).toBe('9')
  })
})

describe('whyUnlearned', () => {
  const group: BilledGroup = {
    provider: 'aws',
    resourceType: 'aws_instance',
    match: {},
    region: null,
    sampleSize: 1,
    monthlyPrice: '73',
    spread: 0.25,
    lacksRate: false,
    isUnconfirmed: false,
    hasUnconfirmed: false,
    from: '2026-03-02',
    to: '2026-03-31',
  }
  test.each<[string, Partial<BilledGroup>, string | undefined]>([
    ['a price', {}, undefined],
    ['a spread of over 25 %', { spread: 0.2501 }, 'no_stable_price'],
    ['no sample', { sampleSize: 0, monthlyPrice: null }, 'too_few_days'],
    ['no confirmed size', { isUnconfirmed: true }, 'size_not_confirmed'],
    ['no rate', { sampleSize: 0, monthlyPrice: null, lacksRate: true }, 'no_exchange_rate'],
    ['a credit', { monthlyPrice: '-1', spread: null }, 'no_cost'],
    ['more than a price can be', { monthlyPrice: '1000000000000000.1' }, 'no_stable_price'],
    ['two of an unknown type', { resourceType: 'aws_x', sampleSize: 2 }, 'too_few_resources'],
    ['three of an unknown type', { resourceType: 'aws_x', sampleSize: 3 }, undefined],
    ['a type called constructor', { resourceType: 'constructor' }, 'too_few_resources'],
  ])('%s', (_, fields, because) => {
    expect(whyUnlearned({ ...group, ...fields })).toBe(because)
  })

  test('a price is taken back only where no resource of its group waits to be confirmed', () => {
    for (const because of ['no_stable_price', 'no_cost', 'too_few_resources'] as const) {
      expect(isRefuted(because, group), because).toBe(true)
      expect(isRefuted(because, { ...group, hasUnconfirmed: true }), because).toBe(false)
    }
    expect(isRefuted('too_few_days', group)).toBe(false)
    expect(isRefuted('no_exchange_rate', group)).toBe(false)
  })

  test('a price moves by more than 1 %', () => {
    expect([hasMoved('100', '101'), hasMoved('100', '98.9'), hasMoved('100', '101.1')]).toEqual([
      false,
      true,
      true,
    ])
  })
})
