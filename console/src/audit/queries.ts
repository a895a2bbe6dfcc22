import { infiniteQueryOptions } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { firstPage, nextOf, pageSize } from '../api/queries.ts'

export const auditQuery = (filter: Record<string, string>) =>
  infiniteQueryOptions({
    queryKey: ['audit', filter],
    queryFn: ({ pageParam, signal }) =>
      call('listAuditEntries', {
        query: { ...filter, limit: pageSize, cursor: pageParam },
        signal,
      }),
    initialPageParam: firstPage,
    getNextPageParam: nextOf,
  })
