import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from './call.ts'
import type { Plan } from '../infrastructure/plan.ts'
import type { RunPlace } from './types.ts'

export const pageSize = 200
export const nextOf = (page: { nextCursor: string | null }) => page.nextCursor ?? undefined
/** A refetch loads all pages of a list again, so a list with more than three pages is not refetched. */
export const whileShort =
  (everyMs: number) =>
  ({ state }: { state: { data?: { pages: unknown[] } | undefined } }): number | false =>
    (state.data?.pages.length ?? 0) <= 3 && everyMs
export const firstPage = undefined as string | undefined

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => call('getMe', { signal }),
  staleTime: 60_000,
  retry: false,
})

export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: ({ signal }) => call('getSettings', { signal }),
})

export const homeQuery = queryOptions({
  queryKey: ['home'],
  queryFn: ({ signal }) => call('getConsoleData', { signal }),
  refetchInterval: 3_000,
})

export const workspacesQuery = (q = '') =>
  infiniteQueryOptions({
    queryKey: ['workspaces', 'list', q],
    queryFn: ({ pageParam, signal }) =>
      call('listWorkspaces', {
        query: { limit: pageSize, cursor: pageParam, q: q || undefined },
        signal,
      }),
    initialPageParam: firstPage,
    getNextPageParam: nextOf,
    placeholderData: keepPreviousData,
    refetchInterval: whileShort(15_000),
  })

/** The labels in use, those with most uses first. */
export const labelsQuery = (q = '') =>
  queryOptions({
    queryKey: ['labels', q],
    queryFn: ({ signal }) =>
      call('listLabels', { query: { limit: pageSize, ...(q && { q }) }, signal }),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  })

export const workspaceQuery = (id: number) =>
  queryOptions({
    queryKey: ['workspaces', id],
    queryFn: ({ signal }) => call('getWorkspace', { params: { id }, signal }),
  })

export const configurationQuery = (id: number) =>
  queryOptions({
    queryKey: ['workspaces', id, 'configuration'],
    queryFn: ({ signal }) => call('getConfiguration', { params: { id }, signal }),
    refetchOnWindowFocus: false,
  })

/** One version. A version is immutable, so it is never refetched. */
export const configurationVersionQuery = (id: number, version: number) =>
  queryOptions({
    queryKey: ['configuration', id, version],
    queryFn: ({ signal }) =>
      call('getConfiguration', { params: { id }, query: { version }, signal }),
    staleTime: Infinity,
  })

export const outputsQuery = (id: number) =>
  infiniteQueryOptions({
    queryKey: ['workspaces', id, 'outputs'],
    queryFn: ({ pageParam, signal }) =>
      call('listOutputs', {
        params: { id },
        query: { limit: pageSize, cursor: pageParam },
        signal,
      }),
    initialPageParam: firstPage,
    getNextPageParam: nextOf,
  })

export const stateVersionsQuery = (id: number) =>
  infiniteQueryOptions({
    queryKey: ['workspaces', id, 'state'],
    queryFn: ({ pageParam, signal }) =>
      call('listStateVersions', { params: { id }, query: { cursor: pageParam }, signal }),
    initialPageParam: firstPage,
    getNextPageParam: nextOf,
  })

export const resourcesQuery = (id: number) =>
  infiniteQueryOptions({
    queryKey: ['workspaces', id, 'resources'],
    queryFn: ({ pageParam, signal }) =>
      call('listStateResources', {
        params: { id },
        query: { limit: pageSize, cursor: pageParam },
        signal,
      }),
    initialPageParam: firstPage,
    getNextPageParam: nextOf,
  })

export const workspaceRunsQuery = (id: number) =>
  infiniteQueryOptions({
    queryKey: ['workspaces', id, 'runs'],
    queryFn: ({ pageParam, signal }) =>
      call('listWorkspaceRuns', {
        params: { id },
        query: { limit: 25, cursor: pageParam },
        signal,
      }),
    initialPageParam: firstPage,
    getNextPageParam: nextOf,
    refetchInterval: whileShort(5_000),
  })

export const pipelineRunsQuery = (id: number) =>
  infiniteQueryOptions({
    queryKey: ['pipelines', id, 'runs'],
    queryFn: ({ pageParam, signal }) =>
      call('listPipelineRuns', { params: { id }, query: { limit: 50, cursor: pageParam }, signal }),
    initialPageParam: firstPage,
    getNextPageParam: nextOf,
    refetchInterval: whileShort(5_000),
  })

export const pipelineQuery = (id: number) =>
  queryOptions({
    queryKey: ['pipelines', id],
    queryFn: ({ signal }) => call('getPipeline', { params: { id }, signal }),
  })

/** Polled while the run is live. The log stream (log-feed.ts) reports the end of a stage without this delay. */
export const runQuery = (place: RunPlace) =>
  queryOptions({
    queryKey: ['run', place.kind, place.id, place.runId],
    queryFn: ({ signal }) => {
      const params = { id: place.id, runId: place.runId }
      return place.kind === 'pipeline'
        ? call('getPipelineRun', { params, signal })
        : call('getWorkspaceRun', { params, signal })
    },
    refetchInterval: ({ state }) => {
      const run = state.data?.run
      if (!run || run.state !== 'running') return false
      return run.awaitingApproval || run.awaitingPlanApproval ? 4_000 : 1_500
    },
  })

/** The changes of a plan, after the first page, which comes with the run. */
export const planQuery = (place: RunPlace, version: string, first: Plan) =>
  infiniteQueryOptions({
    queryKey: ['plan', place.kind, place.id, place.runId, version],
    queryFn: async ({ pageParam, signal }) => {
      const input = {
        params: { id: place.id, runId: place.runId },
        query: { limit: pageSize, cursor: pageParam },
        signal,
      }
      const { plan } =
        place.kind === 'pipeline'
          ? await call('getPipelineRunPlan', input)
          : await call('getWorkspaceRunPlan', input)
      return plan ?? { ...first, resources: [], outputs: [], drift: [], nextCursor: null }
    },
    initialPageParam: firstPage,
    getNextPageParam: nextOf,
    initialData: { pages: [first], pageParams: [firstPage] },
    staleTime: Infinity,
    // Comparing each page that comes with all pages before it takes seconds on a plan of 50,000 changes.
    structuralSharing: false,
  })

export const peopleQuery = (q = '') =>
  infiniteQueryOptions({
    queryKey: ['people', q],
    queryFn: ({ pageParam, signal }) =>
      call('listUsers', {
        query: { limit: pageSize, cursor: pageParam, q: q || undefined },
        signal,
      }),
    initialPageParam: firstPage,
    getNextPageParam: nextOf,
    placeholderData: keepPreviousData,
  })

export const gitConnectionsQuery = infiniteQueryOptions({
  queryKey: ['git', 'connections'],
  queryFn: ({ pageParam, signal }) =>
    call('listGitConnections', { query: { limit: pageSize, cursor: pageParam }, signal }),
  initialPageParam: firstPage,
  getNextPageParam: nextOf,
  refetchInterval: whileShort(10_000),
})

export const gitRepositoriesQuery = (id: number, q: string) =>
  queryOptions({
    queryKey: ['git', id, 'repositories', q],
    queryFn: ({ signal }) =>
      call('listGitRepositories', { params: { id }, query: { q: q || undefined }, signal }),
    // Each request counts against the rate limit of the Git provider.
    staleTime: 60_000,
    retry: false,
  })
