import { queryOptions } from '@tanstack/react-query'
import { allPages } from '../api/all-pages.ts'
import { call } from '../api/call.ts'
import { pageSize } from '../api/queries.ts'

const everyMs = 10_000

/** All agents of a workspace, of which there are at most 1,100: hosts, and what enrolls hosts. */
export const agentsQuery = (workspaceId: number) =>
  queryOptions({
    queryKey: ['agents', workspaceId],
    queryFn: async ({ signal }) => {
      const pages = await allPages((cursor) =>
        call('listAgents', { query: { workspaceId, limit: pageSize, cursor }, signal }),
      )
      return pages.flatMap(({ agents }) => agents)
    },
    // Each look reads all pages, so a longer list is read less often.
    refetchInterval: ({ state }) =>
      everyMs * Math.max(1, Math.ceil((state.data?.length ?? 0) / pageSize)),
  })
