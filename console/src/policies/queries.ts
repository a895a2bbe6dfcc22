import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { firstPage, nextOf, pageSize } from '../api/queries.ts'

export const policiesQuery = infiniteQueryOptions({
  queryKey: ['policies', 'list'],
  queryFn: ({ pageParam, signal }) =>
    call('listPolicies', { query: { limit: pageSize, cursor: pageParam }, signal }),
  initialPageParam: firstPage,
  getNextPageParam: nextOf,
})

export const policyQuery = (id: number) =>
  queryOptions({
    queryKey: ['policies', id],
    queryFn: ({ signal }) => call('getPolicy', { params: { id }, signal }),
    // Never kept: the editor begins with what the policy is now.
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
