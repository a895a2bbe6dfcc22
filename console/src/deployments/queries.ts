import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { allPages } from '../api/all-pages.ts'
import { call } from '../api/call.ts'
import { pageSize } from '../api/queries.ts'

type OfRun = { pipelineId: number; runId: number; endedAt: string | null }

const everyMs = 2_000

/** All hosts of a deployment, looked at again while it goes on. */
export const runHostsQuery = ({ pipelineId: id, runId, endedAt }: OfRun) =>
  queryOptions({
    // The end of a run is another list, so that what changed with it is read.
    queryKey: ['run', 'pipeline', id, runId, 'hosts', endedAt],
    queryFn: async ({ signal }) => {
      const pages = await allPages((cursor) =>
        call('listPipelineRunHosts', {
          params: { id, runId },
          query: { limit: pageSize, cursor },
          signal,
        }),
      )
      return pages.flatMap(({ hosts }) => hosts)
    },
    placeholderData: keepPreviousData,
    // Each look reads all pages, so a longer list is read less often.
    refetchInterval: ({ state }) =>
      endedAt === null && everyMs * Math.max(1, Math.ceil((state.data?.length ?? 0) / pageSize)),
  })

/** What a release changes against the one that runs; another one may run meanwhile. */
export const runChangesQuery = (id: number, runId: number) =>
  queryOptions({
    queryKey: ['pipelines', id, 'runs', runId, 'changes'],
    queryFn: ({ signal }) => call('getPipelineRunChanges', { params: { id, runId }, signal }),
  })

/** The manifest as it was fetched, which does not change. */
export const runManifestQuery = (id: number, runId: number) =>
  queryOptions({
    queryKey: ['pipelines', id, 'runs', runId, 'manifest'],
    queryFn: ({ signal }) => call('getRunManifest', { params: { id, runId }, signal }),
    staleTime: Infinity,
  })
