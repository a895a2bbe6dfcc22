import { describe, expect, test } from 'vitest'
import type { PlanEntry } from './plan-entries.ts'
import { filterEntries, modulesOf, noFilters, patched, planSearch } from './plan-search.ts'
import type { Attribute, PlannedResource } from './plan.ts'

const entry = (address: string, fields: Partial<PlannedResource> = {}): PlanEntry => {
  const resource: PlannedResource = {
    address,
    type: address.split('.').at(-2) ?? '',
    name: 'n',
    provider: 'p',
    actions: ['create'],
    attributes: [],
    omittedAttributes: 0,
    ...fields,
  }
  const { attributes } = resource
  return {
    key: address,
    part: 'resource',
    name: address,
    action: 'create',
    attributes,
    omittedAttributes: 0,
    resource,
  }
}

const attribute = (fields: Partial<Attribute>): Attribute => ({
  path: 'size',
  before: null,
  after: 'large',
  sensitive: false,
  unknown: false,
  ...fields,
})

const shown = (entries: PlanEntry[], search: Parameters<typeof filterEntries>[1]) =>
  filterEntries(entries, search).map(({ name }) => name)

describe('the filters of a plan', () => {
  test('the address gives texts, as they were typed', () => {
    expect(
      planSearch({ find: 12, value: true, by: 'type', action: 'create,none,destroy' }),
    ).toEqual({
      find: '12',
      value: 'true',
      action: 'destroy,create',
    })
    expect(planSearch({ find: '', action: 'none', type: {}, value: 'x'.repeat(900) })).toEqual({
      value: 'x'.repeat(200),
    })
  })

  test('an empty value leaves the address, and the grouping stays', () => {
    const search = planSearch({ find: 'a', by: 'module' })
    expect(patched(search, { find: '' })).toEqual({ by: 'module' })
    expect(patched(search, { type: 'aws_vpc' })).toEqual({ ...search, type: 'aws_vpc' })
    expect(patched(search, noFilters)).toEqual({ by: 'module' })
  })

  test('each filter narrows', () => {
    const moved = entry('aws_vpc.main', { previousAddress: 'aws_vpc.old' })
    const inside = entry('module.net.aws_subnet.a', { module: 'module.net' })
    const gone = { ...entry('aws_vpc.gone'), action: 'destroy' as const }
    const output: PlanEntry = {
      key: 'o',
      part: 'output',
      name: 'size',
      action: 'create',
      attributes: [attribute({ path: '' })],
      omittedAttributes: 0,
    }
    const all = [gone, moved, inside, output]
    expect(shown(all, {})).toHaveLength(4)
    expect(shown(all, { find: 'VPC.OLD' })).toEqual(['aws_vpc.main'])
    expect(shown(all, { action: 'destroy' })).toEqual(['aws_vpc.gone'])
    // Outputs are no resources, so the chip of an action does not count them.
    expect(shown(all, { action: 'create' })).toEqual(['aws_vpc.main', 'module.net.aws_subnet.a'])
    expect(shown(all, { type: 'aws_vpc' })).toEqual(['aws_vpc.gone', 'aws_vpc.main'])
    expect(shown(all, { module: 'root' })).toEqual(['aws_vpc.gone', 'aws_vpc.main'])
    expect(shown(all, { module: 'module.net' })).toEqual(['module.net.aws_subnet.a'])
    expect(shown(all, { value: 'LARGE' })).toEqual(['size'])
    expect(modulesOf(all)).toEqual(['root', 'module.net'])
  })

  test('what is imported is found by a filter of its own and by its id', () => {
    const imported = entry('aws_vpc.main', { importing: { id: 'vpc-0ABC' } })
    const all = [entry('aws_vpc.other'), imported]
    expect(shown(all, planSearch({ imported: 'only' }))).toEqual(['aws_vpc.main'])
    expect(shown(all, planSearch({ imported: 'no' }))).toHaveLength(2)
    expect(shown(all, { find: 'vpc-0abc' })).toEqual(['aws_vpc.main'])
    expect(patched({ imported: 'only' }, noFilters)).toEqual({})
  })

  test('a search finds no mask and no placeholder', () => {
    const masked = attribute({
      before: '(sensitive value)',
      after: '(sensitive value)',
      sensitive: true,
    })
    const unknown = attribute({ path: 'id', after: '(known after apply)', unknown: true })
    const all = [entry('a.b', { attributes: [masked, unknown] })]
    expect(shown(all, { value: 'sensitive' })).toEqual([])
    expect(shown(all, { value: 'known after' })).toEqual([])
    expect(shown(all, { value: 'size' })).toEqual(['a.b'])
  })
})
