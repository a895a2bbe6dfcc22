import { infiniteQueryOptions } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { firstPage, nextOf } from '../api/queries.ts'

/** The versions of a workspace's files, newest first. */
export const configurationVersionsQuery = (id: number) =>
  infiniteQueryOptions({
    queryKey: ['workspaces', id, 'configuration', 'versions'],
    queryFn: ({ pageParam, signal }) =>
      call('listConfigurationVersions', {
        params: { id },
        query: { limit: 50, cursor: pageParam },
        signal,
      }),
    initialPageParam: firstPage,
    getNextPageParam: nextOf,
  })
