import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { firstPage, nextOf, whileShort } from '../api/queries.ts'

export const hydrationsQuery = (id: number) =>
  infiniteQueryOptions({
    queryKey: ['workspaces', id, 'git'],
    queryFn: ({ pageParam, signal }) =>
      call('listHydrations', { params: { id }, query: { cursor: pageParam }, signal }),
    initialPageParam: firstPage,
    getNextPageParam: nextOf,
    refetchInterval: whileShort(5_000),
  })

export const hydrationQuery = (id: number, hydrationId: number) =>
  queryOptions({
    queryKey: ['workspaces', id, 'git', hydrationId],
    queryFn: ({ signal }) => call('getHydration', { params: { id, hydrationId }, signal }),
  })
