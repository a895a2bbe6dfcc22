import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { firstPage, nextOf, pageSize, whileShort } from '../api/queries.ts'
import type { PipelinesSearch } from './pipelines-search.ts'

export const pipelinesQuery = ({ q = '', managed = false, label, sort }: PipelinesSearch) =>
  infiniteQueryOptions({
    queryKey: ['pipelines', 'list', q, managed, label, sort],
    queryFn: ({ pageParam, signal }) =>
      call('listPipelines', {
        query: {
          limit: pageSize,
          cursor: pageParam,
          q,
          ...(!managed && { managed: false }),
          ...(label && { label }),
          ...(sort && { sort }),
        },
        signal,
      }),
    initialPageParam: firstPage,
    getNextPageParam: nextOf,
    placeholderData: keepPreviousData,
    refetchInterval: whileShort(15_000),
  })
