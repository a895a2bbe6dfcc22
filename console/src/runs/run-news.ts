import type { QueryClient } from '@tanstack/react-query'
import { mayPass } from '../api/call.ts'
import { runQuery, workspaceQuery } from '../api/queries.ts'
import type { RunPlace } from '../api/types.ts'

/** The callbacks of a log stream: they refetch the run when the stream ends and when it cannot be read. */
export const runNews = (queryClient: QueryClient, place: RunPlace) => ({
  onEnd: () => void readAgain(queryClient, place),
  mayGoOn: async () =>
    queryClient.fetchQuery({ ...runQuery(place), staleTime: 0, retry: false }).then(
      () => true,
      (error: unknown) => mayPass(error),
    ),
})

/** The run, and then its workspace: its state and outputs are what the run may have written. */
async function readAgain(queryClient: QueryClient, place: RunPlace): Promise<void> {
  const { queryKey } = runQuery(place)
  await queryClient.invalidateQueries({ queryKey })
  // A run of an application has no workspace.
  const id = queryClient.getQueryData(queryKey)?.run.workspaceId
  if (id) await queryClient.invalidateQueries({ queryKey: workspaceQuery(id).queryKey })
}
