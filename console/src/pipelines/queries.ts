import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { firstPage, nextOf, pageSize, whileShort } from '../api/queries.ts'

/** `withManaged`: also those that workspaces brought. */
export const pipelinesQuery = (q: string, withManaged: boolean) =>
  infiniteQueryOptions({
    queryKey: ['pipelines', 'list', q, withManaged],
    queryFn: ({ pageParam, signal }) =>
      call('listPipelines', {
        query: {
          limit: pageSize,
          cursor: pageParam,
          q,
          ...(!withManaged && { managed: false }),
        },
        signal,
      }),
    initialPageParam: firstPage,
    getNextPageParam: nextOf,
    placeholderData: keepPreviousData,
    refetchInterval: whileShort(15_000),
  })
