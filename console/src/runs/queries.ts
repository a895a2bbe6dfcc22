import { infiniteQueryOptions } from '@tanstack/react-query'
import { call, type Input } from '../api/call.ts'
import { firstPage, nextOf, whileShort } from '../api/queries.ts'

type RunFilter = Omit<NonNullable<Input<'listRuns'>['query']>, 'limit' | 'cursor'>

/** Runs of all workspaces, newest first. */
export const runsQuery = (filter: RunFilter, limit = 20) =>
  infiniteQueryOptions({
    queryKey: ['runs', limit, filter],
    queryFn: ({ pageParam, signal }) =>
      call('listRuns', { query: { limit, ...filter, cursor: pageParam }, signal }),
    initialPageParam: firstPage,
    getNextPageParam: nextOf,
    refetchInterval: whileShort(3_000),
  })
