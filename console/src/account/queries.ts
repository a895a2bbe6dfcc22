import { infiniteQueryOptions } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { firstPage, nextOf } from '../api/queries.ts'

export const sessionsQuery = infiniteQueryOptions({
  queryKey: ['sessions'],
  queryFn: ({ pageParam, signal }) =>
    call('listMySessions', { query: { cursor: pageParam }, signal }),
  initialPageParam: firstPage,
  getNextPageParam: nextOf,
})
