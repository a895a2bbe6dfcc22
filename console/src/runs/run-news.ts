import type { QueryClient } from '@tanstack/react-query'
import { mayPass } from '../api/call.ts'
import { runQuery } from '../api/queries.ts'
import type { RunPlace } from '../api/types.ts'

/** The callbacks of a log stream: they refetch the run when the stream ends and when it cannot be read. */
export const runNews = (queryClient: QueryClient, place: RunPlace) => ({
  onEnd: () => void queryClient.invalidateQueries({ queryKey: runQuery(place).queryKey }),
  mayGoOn: async () =>
    queryClient.fetchQuery({ ...runQuery(place), staleTime: 0, retry: false }).then(
      () => true,
      (error: unknown) => mayPass(error),
    ),
})
