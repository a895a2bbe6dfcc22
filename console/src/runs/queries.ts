import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { call, type Input } from '../api/call.ts'
import type { RunPlace } from '../api/types.ts'
import { firstPage, nextOf, whileShort } from '../api/queries.ts'

type RunFilter = Omit<NonNullable<Input<'listRuns'>['query']>, 'limit' | 'cursor'>

/** Runs of all workspaces and applications, newest first. */
export const runsQuery = (filter: RunFilter, limit = 20) =>
  infiniteQueryOptions({
    queryKey: ['runs', limit, filter],
    queryFn: ({ pageParam, signal }) =>
      call('listRuns', { query: { limit, ...filter, cursor: pageParam }, signal }),
    initialPageParam: firstPage,
    getNextPageParam: nextOf,
    refetchInterval: whileShort(3_000),
  })

/** All comments of a run: it has no more than a page of them. */
export const runCommentsQuery = ({ kind, id, runId }: RunPlace) =>
  queryOptions({
    queryKey: ['run-comments', kind, id, runId],
    queryFn: ({ signal }) => {
      const asked = { params: { id, runId }, query: { limit: 200 }, signal }
      return kind === 'pipeline'
        ? call('listPipelineRunComments', asked)
        : call('listWorkspaceRunComments', asked)
    },
    refetchInterval: 5_000,
  })
