import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { firstPage, nextOf, pageSize } from '../api/queries.ts'

export const organizationTokensQuery = infiniteQueryOptions({
  queryKey: ['tokens', 'organization'],
  queryFn: ({ pageParam, signal }) =>
    call('listTokens', { query: { limit: pageSize, cursor: pageParam }, signal }),
  initialPageParam: firstPage,
  getNextPageParam: nextOf,
})

/** At most twenty are valid; newest first. */
export const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  queryFn: async ({ signal }) => {
    const { tokens } = await call('listMyTokens', { signal })
    return { tokens: tokens.toReversed() }
  },
})
