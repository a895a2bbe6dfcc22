import { infiniteQueryOptions } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { firstPage, nextOf, pageSize, whileShort } from '../api/queries.ts'

export const groupMappingsQuery = infiniteQueryOptions({
  queryKey: ['sso', 'groups'],
  queryFn: ({ pageParam, signal }) =>
    call('listGroupMappings', { query: { limit: pageSize, cursor: pageParam }, signal }),
  initialPageParam: firstPage,
  getNextPageParam: nextOf,
})

export const scimLogQuery = (outcome: 'success' | 'failure' | undefined) =>
  infiniteQueryOptions({
    queryKey: ['scim-log', outcome ?? 'all'],
    queryFn: ({ pageParam, signal }) =>
      call('listScimLog', { query: { limit: 50, cursor: pageParam, outcome }, signal }),
    initialPageParam: firstPage,
    getNextPageParam: nextOf,
    refetchInterval: whileShort(15_000),
  })
