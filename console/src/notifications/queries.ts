import { infiniteQueryOptions } from '@tanstack/react-query'
import { call, type Answer } from '../api/call.ts'

export type Channel = Answer<'listNotifications'>['notifications'][number]
export type ChannelKind = Channel['kind']
export type Tried = Answer<'testNotification'>['delivery']

const firstPage = undefined as string | undefined

export const notificationsQuery = infiniteQueryOptions({
  queryKey: ['notifications'],
  queryFn: ({ pageParam, signal }) =>
    call('listNotifications', { query: { limit: 200, cursor: pageParam }, signal }),
  initialPageParam: firstPage,
  getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  // What was sent changes by itself. There are at most 300.
  refetchInterval: 10_000,
})
