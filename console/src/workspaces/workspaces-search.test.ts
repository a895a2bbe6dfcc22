import { expect, test } from 'vitest'
import { isSameSearch, queryOf, workspacesSearch } from './workspaces-search.ts'

test('an address with nonsense shows the whole list', () => {
  const nonsense = { state: 'toString', view: 'all', criticality: 'high', sort: 'up', other: 1 }
  expect(workspacesSearch(nonsense)).toEqual({})
  expect(queryOf({})).toEqual({ sort: 'name' })
})

test('filters and order of the address are those of the request', () => {
  const search = workspacesSearch({
    q: 12,
    state: 'working',
    criticality: 'production',
    label: ['team=payments', 'nonsense'],
    sort: '-lastRunAt',
    view: 'favorites',
  })
  expect(search).toMatchObject({ q: '12', view: 'favorites' })
  expect(queryOf(search)).toEqual({
    q: '12',
    state: ['running'],
    awaitingApproval: false,
    criticality: ['production'],
    label: ['team=payments'],
    sort: '-lastRunAt',
  })
})

test('two searches are the same whatever the order of their parts', () => {
  expect(isSameSearch({ q: 'a', state: 'failed' }, { state: 'failed', q: 'a' })).toBe(true)
  expect(isSameSearch({ q: 'a' }, { q: 'a', sort: '-name' })).toBe(false)
})
