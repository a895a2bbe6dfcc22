import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { firstPage, nextOf, pageSize, whileShort } from '../api/queries.ts'
import { sortedBy } from '../api/sorted-by.ts'
import type { OwnLists } from './own-lists.ts'
import { queryOf, type WorkspacesSearch } from './workspaces-search.ts'

/** More than a screen shows. Fewer rows are quicker to read and to render after each change of a filter. */
const firstSize = 60

/** A page of the workspaces that the search finds. A person's own list is asked for by its ids. */
export function listedWorkspacesQuery(search: WorkspacesSearch, lists: OwnLists) {
  const ids = idsOf(search, lists)
  const filter = { ...queryOf(search), ...(ids && { id: [...ids] }) }
  return infiniteQueryOptions({
    queryKey: ['workspaces', 'list', filter],
    queryFn: async ({ pageParam, signal }) =>
      // Without an id, the API would list all.
      ids?.length === 0
        ? { workspaces: [], nextCursor: null }
        : call('listWorkspaces', {
            query: { limit: pageParam ? pageSize : firstSize, ...filter, cursor: pageParam },
            signal,
          }),
    initialPageParam: firstPage,
    getNextPageParam: nextOf,
    placeholderData: keepPreviousData,
    refetchInterval: whileShort(15_000),
  })
}

function idsOf({ view }: WorkspacesSearch, { favorites, recents }: OwnLists) {
  if (view === undefined) return undefined
  return view === 'favorites' ? favorites : recents
}

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

/** A page holds all that a workspace may have. */
export const variablesQuery = (id: number) =>
  queryOptions({
    queryKey: ['workspaces', id, 'variables'],
    queryFn: async ({ signal }) => {
      const query = { limit: pageSize }
      const { variables } = await call('listVariables', { params: { id }, query, signal })
      return { variables: sortedBy(variables, ({ kind, key }) => `${kind} ${key}`) }
    },
  })
