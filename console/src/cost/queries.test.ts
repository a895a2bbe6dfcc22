import type { InfiniteData } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { cloudAccountsQuery, cloudSyncsQuery } from '../clouds/queries.ts'
import { billSourcesQuery, ingestsQuery } from './queries.ts'

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
