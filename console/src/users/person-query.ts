import { queryOptions } from '@tanstack/react-query'
import { call } from '../api/call.ts'

/** One person, such as the one who decided something. Somebody who left is not found. */
export const personQuery = (id: number | null) =>
  queryOptions({
    queryKey: ['people', 'one', id],
    queryFn: ({ signal }) => call('getUser', { params: { id: id ?? 0 }, signal }),
    enabled: id !== null,
    staleTime: 60_000,
  })
