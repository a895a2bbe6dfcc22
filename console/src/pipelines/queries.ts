import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { allPages } from '../api/all-pages.ts'
import { call } from '../api/call.ts'
import { sortedBy } from '../api/sorted-by.ts'
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

/** A page holds all that a pipeline may have. */
export const pipelineVariablesQuery = (id: number) =>
  queryOptions({
    queryKey: ['pipelines', id, 'variables'],
    queryFn: async ({ signal }) => {
      const query = { limit: pageSize }
      const { variables } = await call('listPipelineVariables', { params: { id }, query, signal })
      return { variables: sortedBy(variables, ({ phase, key }) => `${phase} ${key}`) }
    },
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
