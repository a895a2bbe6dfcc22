import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { allPages } from '../api/all-pages.ts'
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
          q: q || undefined,
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

export const pipelineVariablesQuery = (id: number) =>
  queryOptions({
    queryKey: ['pipelines', id, 'variables'],
    queryFn: ({ signal }) => call('listPipelineVariables', { params: { id }, signal }),
  })

/** The application pipelines that people made. */
export const applicationPipelinesQuery = queryOptions({
  queryKey: ['pipelines', 'list', 'applications'],
  queryFn: async ({ signal }) => {
    const pages = await allPages((cursor) =>
      call('listPipelines', { query: { managed: false, limit: pageSize, cursor }, signal }),
    )
    return pages.flatMap(({ pipelines }) => pipelines.filter(({ kind }) => kind === 'application'))
  },
  staleTime: 15_000,
})

export const newestRunsQuery = (pipelineId: number) =>
  queryOptions({
    queryKey: ['pipelines', pipelineId, 'runs', 'newest'],
    queryFn: async ({ signal }) => {
      const { runs } = await call('listPipelineRuns', {
        params: { id: pipelineId },
        query: { limit: 50 },
        signal,
      })
      return runs
    },
    staleTime: 10_000,
  })
