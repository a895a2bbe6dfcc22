import type { InfiniteData } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { cloudAccountsQuery, cloudSyncsQuery } from '../clouds/queries.ts'
import { billSourcesQuery, budgetsQuery, costQuery, ingestsQuery } from './queries.ts'

const lists = {
  'bill sources': billSourcesQuery,
  ingests: ingestsQuery,
  'cloud accounts': cloudAccountsQuery,
  syncs: cloudSyncsQuery(1),
}

test.each(Object.entries(lists))('a long list of %s is not read again by itself', (_, list) => {
  // The one part of the query that the interval is made of.
  const every = list.refetchInterval as (query: unknown) => number | false
  const pages = (count: number): { state: { data: Pick<InfiniteData<object>, 'pages'> } } => ({
    state: { data: { pages: Array.from({ length: count }, () => ({})) } },
  })
  expect(every(pages(1))).toBe(5_000)
  expect(every(pages(4))).toBe(false)
})

test('budgets are read again while a forecast is being computed', () => {
  const cost = costQuery({}).refetchInterval as (query: unknown) => number | false
  const list = budgetsQuery.refetchInterval as (query: unknown) => number | false
  const of = (noForecastBecause: string | null) => [{ noForecastBecause }]
  const shown = (budgets: object) => ({ state: { data: { budgets } } })
  const listed = (...pages: object[]) => ({
    state: { data: { pages: pages.map((budgets) => ({ budgets })) } },
  })
  expect(cost(shown(of('pending')))).toBe(3_000)
  const often = { state: { data: { budgets: of('pending') }, dataUpdateCount: 50 } }
  expect(cost(often)).toBe(60_000)
  for (const because of [null, 'no_cost']) expect(cost(shown(of(because)))).toBe(false)
  for (const data of [undefined, { empty: true }]) expect(cost({ state: { data } })).toBe(false)
  expect(list(listed(of(null), of('pending')))).toBe(3_000)
  expect(list(listed(of(null)))).toBe(false)
  expect(list({ state: {} })).toBe(false)
})
