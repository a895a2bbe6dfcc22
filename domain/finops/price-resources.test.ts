import { describe, expect, test } from 'vitest'
import create from '../infrastructure/fixtures/create.json' with { type: 'json' }
import { PlanFormatError } from '../infrastructure/parse-plan.ts'
import { testPlan, type TestChange } from '../infrastructure/test-plan.ts'
import { priceResources, type Price } from './price-resources.ts'

let id = 0
const price = (monthlyPrice: string, fields: Partial<Price> = {}): Price => {
  id += 1
  return {
    id,
    provider: 'aws',
    resourceType: 'aws_instance',
    match: {},
    monthlyPrice,
    currency: 'USD',
    validFrom: '2026-01-01',
    source: 'manual',
    ...fields,
  }
}
const context = { currency: 'USD', at: new Date('2026-11-21T10:00:00Z') }
const priced = (changes: TestChange[], ...prices: Price[]) =>
  priceResources(testPlan(changes), prices, context)
const first = (change: TestChange, ...prices: Price[]) => priced([change], ...prices).resources[0]
const created = (after: object, fields: Partial<TestChange> = {}): TestChange => ({
  actions: ['create'],
  after,
  ...fields,
})

describe('priceResources: what a change costs', () => {
  const small = price('7.3', { match: { instance_type: 't3.small' } })
  const large = price('70.08', { match: { instance_type: 'm5.large' } })
  const before = { instance_type: 't3.small' }
  const after = { instance_type: 'm5.large' }

  test.each<[string, TestChange, string, string, string]>([
    ['create', { actions: ['create'], after }, '0', '70.08', '70.08'],
    ['update', { actions: ['update'], before, after }, '7.3', '70.08', '62.78'],
    ['replace', { actions: ['delete', 'create'], before, after }, '7.3', '70.08', '62.78'],
    [
      'replace, new first',
      { actions: ['create', 'delete'], before, after },
      '7.3',
      '70.08',
      '62.78',
    ],
    ['delete', { actions: ['delete'], before }, '7.3', '0', '-7.3'],
    ['forget', { actions: ['forget'], before, after: before }, '7.3', '0', '-7.3'],
    ['no-op', { actions: ['no-op'], before, after: before }, '7.3', '7.3', '0'],
  ])('%s', (_, change, ...amounts) => {
    const [was, will, delta] = amounts
    const result = priced([change], small, large)
    expect(result).toMatchObject({ before: was, after: will, delta, currency: 'USD' })
    expect(result.resources[0]).toMatchObject({ before: was, after: will, delta, priced: 'price' })
  })

  test('the id is that of the price to pay from now on, or was paid', () => {
    expect(first({ actions: ['update'], before, after }, small, large)?.priceId).toBe(large.id)
    expect(first({ actions: ['delete'], before }, small, large)?.priceId).toBe(small.id)
  })

  test('each instance of count and for_each is priced by itself', () => {
    const result = priced(
      [
        created(after, { address: 'aws_instance.web[0]' }),
        created(after, { address: 'aws_instance.web[1]' }),
        created(before, { address: 'module.a.aws_instance.each["x"]' }),
      ],
      small,
      large,
    )
    expect(result.after).toBe('147.46')
    expect(result.resources.map(({ address }) => address)).toHaveLength(3)
  })

  test('sums are exact', () => {
    const changes = Array.from({ length: 10 }, () => created({}))
    expect(priced(changes, price('0.1')).after).toBe('1')
    expect(priced(changes, price('0.000000000001')).after).toBe('0.00000000001')
  })

  test('data sources and ephemeral resources are no resources', () => {
    const result = priced(
      [
        { address: 'data.aws_ami.x', mode: 'data', actions: ['read'], after: {} },
        { mode: 'ephemeral', actions: ['open'] },
      ],
      price('5'),
    )
    expect(result).toMatchObject({ after: '0', resources: [], coverage: { ratio: 1 } })
  })
})

describe('priceResources: which price', () => {
  const type = { instance_type: 'm5.large' }

  test('the most specific', () => {
    const plain = price('1')
    const typed = price('2', { match: type })
    const exact = price('3', { match: { ...type, tenancy: 'dedicated' } })
    expect(first(created({ ...type, tenancy: 'dedicated' }), plain, exact, typed)?.after).toBe('3')
    expect(first(created({ ...type, tenancy: 'default' }), plain, exact, typed)?.after).toBe('2')
    expect(first(created({}), plain, exact, typed)?.after).toBe('1')
  })

  test('of two alike the newest, of one day the highest id', () => {
    const newer = price('2', { validFrom: '2026-06-01' })
    const old = price('1', { validFrom: '2026-01-01' })
    expect(first(created({}), old, newer)?.after).toBe('2')
    expect(first(created({}), price('9', { id: 90 }), price('8', { id: 91 }))?.after).toBe('8')
  })

  test('none that is not valid yet', () => {
    const today = price('1', { validFrom: '2026-11-21' })
    const tomorrow = price('2', { validFrom: '2026-11-22' })
    expect(first(created({}), today, tomorrow)?.after).toBe('1')
    expect(first(created({}), tomorrow)?.priced).toBe('none')
  })

  test.each([
    ['aws', true],
    ['hashicorp/aws', true],
    ['registry.example/hashicorp/aws', true],
    ['ws', false],
    ['azurerm', false],
  ])('of provider %s: %s', (provider, applies) => {
    expect(first(created({}), price('1', { provider }))?.priced).toBe(applies ? 'price' : 'none')
  })

  test('none of another type', () => {
    expect(first(created({}), price('1', { resourceType: 'aws_instances' }))).toMatchObject({
      priced: 'none',
      after: null,
      unpricedBecause: 'no_price',
    })
  })

  test.each<[Record<string, unknown>, object, boolean]>([
    [
      { 'root_block_device[0].volume_type': 'gp3' },
      { root_block_device: [{ volume_type: 'gp3' }] },
      true,
    ],
    [
      { 'root_block_device.0.volume_type': 'gp3' },
      { root_block_device: [{ volume_type: 'gp3' }] },
      true,
    ],
    [{ 'root_block_device[0].volume_type': 'gp3' }, { root_block_device: [] }, false],
    [{ 'tags["a.b"]': 'x' }, { tags: { 'a.b': 'x' } }, true],
    [{ 'tags.Name': 'x' }, { tags: null }, false],
    [{ cores: 8 }, { cores: '8' }, true],
    [{ cores: '8' }, { cores: 8 }, true],
    [{ spot: true }, { spot: 'true' }, true],
    [{ spot: false }, {}, false],
    [{ spot: null }, {}, true],
    [{ spot: null }, { spot: true }, false],
    [{ constructor: 'x' }, {}, false],
    [{ list: ['a'] }, { list: ['a'] }, false],
  ])('match %j of %j: %s', (match, after, applies) => {
    expect(first(created(after), price('1', { match }))?.priced).toBe(applies ? 'price' : 'none')
  })
})

describe('priceResources: attributes known only after apply', () => {
  const change = created({}, { unknown: { instance_type: true } })
  const typed = (value: string, amount: string, fields: Partial<Price> = {}) =>
    price(amount, { match: { instance_type: value }, ...fields })

  test('no price when it may or may not match', () => {
    expect(first(change, typed('a', '1'))).toMatchObject({
      priced: 'none',
      unpricedBecause: 'unknown_attributes',
    })
    expect(first(change, typed('a', '1'), price('2'))?.priced).toBe('none')
  })

  test('the price on which all agree that could win', () => {
    const plain = price('5')
    expect(first(change, typed('a', '5.00'), typed('b', '5'), plain)).toMatchObject({
      priced: 'price',
      after: '5',
      priceId: plain.id,
    })
  })

  test('entries that agree are not enough where none may match', () => {
    expect(first(change, typed('a', '5'), typed('b', '5'))?.priced).toBe('none')
  })

  test('an older entry on the same condition cannot win', () => {
    const older = typed('a', '9', { validFrom: '2025-01-01' })
    expect(first(change, typed('a', '5'), older, price('5'))?.after).toBe('5')
  })

  test('an entry that a known attribute rules out does not count', () => {
    const gone = price('9', { match: { instance_type: 'a', tenancy: 'dedicated' } })
    const known = created({ tenancy: 'default' }, { unknown: { instance_type: true } })
    expect(first(known, gone, price('5'))?.after).toBe('5')
  })

  test('an unknown block makes what is in it unknown', () => {
    const disk = price('1', { match: { 'disk[0].type': 'ssd' } })
    expect(first(created({}, { unknown: { disk: true } }), disk)?.unpricedBecause).toBe(
      'unknown_attributes',
    )
    const item = created({ disk: [{}] }, { unknown: { disk: [{ type: true }] } })
    expect(first(item, disk)?.unpricedBecause).toBe('unknown_attributes')
  })

  test('unknown attributes that no price asks for do not matter', () => {
    expect(first(created({}, { unknown: { id: true } }), price('1'))?.after).toBe('1')
  })

  test('what was there before is known', () => {
    const update = {
      actions: ['update'],
      before: { instance_type: 'a' },
      after: {},
      unknown: { instance_type: true },
    }
    expect(first(update, typed('a', '3'))).toMatchObject({ before: '3', after: null, delta: null })
  })
})

describe('priceResources: without a price', () => {
  test('types of utility providers are free by a list', () => {
    const free = ['null_resource', 'random_password', 'local_file', 'tls_private_key', 'time_sleep']
    const changes = free.map((type) => created({}, { address: `${type}.x` }))
    changes.push(
      created({}, { address: 'terraform_data.x', provider: 'terraform.io/builtin/terraform' }),
    )
    const result = priced(changes)
    expect(result.coverage).toEqual({ priced: 0, free: 6, unpriced: 0, ratio: 1 })
    expect(result.resources.every((resource) => resource.priced === 'free')).toBe(true)
  })

  test('a type is not free by its name alone', () => {
    const provider = 'registry.example/somebody/cloud'
    expect(first(created({}, { address: 'random_server.x', provider }))?.priced).toBe('none')
    expect(first(created({}, { address: 'server.x', provider: 'a/b/random' }))?.priced).toBe('none')
  })

  test('what OpenTofu printed of terraform_data is free', () => {
    expect(priceResources(create, [], context)).toMatchObject({
      before: '0',
      after: '0',
      delta: '0',
      coverage: { priced: 0, free: 6, unpriced: 0, ratio: 1 },
    })
  })

  test('coverage counts, rounded down', () => {
    const changes = [
      created({}),
      created({}, { address: 'null_resource.x' }),
      created({}, { address: 'aws_eip.x' }),
    ]
    expect(priced(changes, price('1')).coverage).toEqual({
      priced: 1,
      free: 1,
      unpriced: 1,
      ratio: 0.6666,
    })
  })

  test('a price in another currency is none, even where a lesser one would fit', () => {
    const euro = price('1', { match: { a: 1 }, currency: 'EUR' })
    expect(first(created({ a: 1 }), euro, price('2'))).toMatchObject({
      priced: 'none',
      after: null,
      unpricedBecause: 'currency_mismatch',
      priceCurrency: 'EUR',
    })
  })

  test('a deleted resource without a price costs nothing afterwards', () => {
    expect(first({ actions: ['delete'], before: {} })).toMatchObject({
      before: null,
      after: '0',
      delta: null,
      priced: 'none',
      unpricedBecause: 'no_price',
    })
  })

  test('refuses what is no plan, and a price that is none', () => {
    expect(() => priceResources({}, [], context)).toThrow(PlanFormatError)
    expect(() => priced([created({})], price('1e3'))).toThrow(RangeError)
    expect(() => priced([created({})], price('1', { validFrom: 'soon' }))).toThrow(RangeError)
  })
})
