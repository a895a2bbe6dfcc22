import { expect, test } from 'vitest'
import { compareStates, itemsOfState, type StateItem } from './state-items.ts'

const state = (instances: unknown[], outputs = {}) => ({
  version: 4,
  resources: [
    { module: 'module.shop', mode: 'managed', type: 'db', name: 'main', instances },
    { mode: 'data', type: 'image', name: 'base', instances: [{ attributes: { id: 'i-1' } }] },
  ],
  outputs,
})
const read = (value: unknown): StateItem[] => itemsOfState(value) ?? []
const first = (value: unknown) => read(value)[0]?.values

test('each instance has the address that OpenTofu writes', () => {
  const items = read(
    state([
      { attributes: {}, index_key: 0 },
      { attributes: {}, index_key: 'eu' },
      { deposed: 'a1' },
    ]),
  )
  expect(items.map(({ address }) => address)).toEqual([
    'module.shop.db.main[0]',
    'module.shop.db.main["eu"]',
    'module.shop.db.main (deposed a1)',
    'data.image.base',
  ])
})

test('what the state marks, and what sounds secret, is sensitive', () => {
  const attributes = { size: 3, user: 'app', Password: 'x', settings: { a: 1 }, apiToken: null }
  const marked = [
    [
      { type: 'get_attr', value: 'settings' },
      { type: 'get_attr', value: 'a' },
    ],
  ]
  const values = first(state([{ attributes, sensitive_attributes: marked }]))
  const hidden = [...(values ?? [])].filter(([, { sensitive }]) => sensitive).map(([name]) => name)
  expect(hidden).toEqual(['Password', 'settings'])
})

test('marks of an unknown form hide everything', () => {
  for (const marks of ['all', [[{ type: 'index', value: 0 }]], [7], {}]) {
    const values = first(state([{ attributes: { size: 3 }, sensitive_attributes: marks }]))
    expect(values?.get('size')?.sensitive, JSON.stringify(marks)).toBe(true)
  }
})

test('an output without a mark of its own is taken as sensitive only if it is not said', () => {
  const items = read(state([], { open: { value: 1, sensitive: false }, closed: { value: 'hush' } }))
  const outputs = items.filter(({ address }) => address.startsWith('output.'))
  expect(outputs.map(({ values }) => values.get('value')?.sensitive)).toEqual([false, true])
})

test('a comparison names what came, what went and what differs', () => {
  const before = read(state([{ attributes: { size: 3, password: 'one' }, index_key: 0 }]))
  const after = read(state([{ attributes: { size: 4, password: 'two' }, index_key: 0 }])).filter(
    ({ address }) => !address.startsWith('data.'),
  )
  const changes = compareStates(before, after)
  expect(changes.map(({ address, action }) => [address, action])).toEqual([
    ['data.image.base', 'destroy'],
    ['module.shop.db.main[0]', 'update'],
  ])
  const [, update] = changes
  expect(update?.attributes).toMatchObject([
    { path: 'size', before: 3, after: 4, sensitive: false },
    { path: 'password', before: '••••', after: '••••', sensitive: true },
  ])
  expect(compareStates(before, before)).toEqual([])
})

test('anything but a state of version 4 is not read', () => {
  for (const value of [null, [], 'x', { version: 3 }, {}])
    expect(itemsOfState(value)).toBeUndefined()
})
