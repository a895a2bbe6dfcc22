import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call, type Answer } from '../api/call.ts'
import { whileShort } from '../api/queries.ts'
import type { ResourceFilter } from '../app/searches.ts'

export type CloudAccount = Answer<'getCloudAccount'>['account']
export type CloudSync = Answer<'listCloudSyncs'>['syncs'][number]
export type CloudPlace = Answer<'getCloudSync'>['sync']['places'][number]
export type CloudResource = Answer<'listCloudResources'>['resources'][number]
export type CloudMember = Answer<'listCloudAccountMembers'>['members'][number]
export type CloudSetup = Answer<'getCloudAccountSetup'>

const pageSize = 200
const firstPage = undefined as string | undefined
const nextOf = (page: { nextCursor: string | null }) => page.nextCursor ?? undefined
const refreshMs = 5_000

export const cloudAccountsQuery = infiniteQueryOptions({
  queryKey: ['clouds', 'accounts'],
  queryFn: ({ pageParam, signal }) =>
    call('listCloudAccounts', { query: { limit: pageSize, cursor: pageParam }, signal }),
  initialPageParam: firstPage,
  getNextPageParam: nextOf,
  refetchInterval: whileShort(refreshMs),
})

export const cloudAccountQuery = (id: number) =>
  queryOptions({
    queryKey: ['clouds', 'accounts', id],
    queryFn: ({ signal }) => call('getCloudAccount', { params: { id }, signal }),
    refetchInterval: refreshMs,
  })

export const cloudSetupQuery = (asked: {
  provider: CloudAccount['provider']
  accountId: string
  use: 'federation' | 'role' | 'keys'
}) =>
  queryOptions({
    queryKey: ['clouds', 'setup', asked],
    queryFn: ({ signal }) => call('getCloudAccountSetup', { query: asked, signal }),
    enabled: asked.accountId !== '',
    retry: false,
    staleTime: 60_000,
  })

/** Each page asks AWS, so it is not repeated by itself. */
export const cloudMembersQuery = (id: number) =>
  infiniteQueryOptions({
    queryKey: ['clouds', 'members', id],
    queryFn: ({ pageParam, signal }) =>
      call('listCloudAccountMembers', {
        params: { id },
        query: { limit: 100, cursor: pageParam },
        signal,
      }),
    initialPageParam: firstPage,
    getNextPageParam: nextOf,
    retry: false,
    staleTime: Infinity,
  })

export const cloudSyncsQuery = (id: number) =>
  infiniteQueryOptions({
    queryKey: ['clouds', 'accounts', id, 'syncs'],
    queryFn: ({ pageParam, signal }) =>
      call('listCloudSyncs', { params: { id }, query: { limit: 20, cursor: pageParam }, signal }),
    initialPageParam: firstPage,
    getNextPageParam: nextOf,
    refetchInterval: whileShort(refreshMs),
  })

export const cloudSyncQuery = (id: number, syncId: number) =>
  queryOptions({
    queryKey: ['clouds', 'accounts', id, 'syncs', syncId],
    queryFn: ({ signal }) => call('getCloudSync', { params: { id, syncId }, signal }),
    refetchInterval: ({ state: { data } }) => data?.sync.state === 'running' && refreshMs,
  })

/** The API takes each filter as a list, whose values are alternatives. */
const listed = (filter: ResourceFilter) =>
  Object.fromEntries(Object.entries(filter).map(([name, value]) => [name, [value]]))

export const cloudResourcesQuery = (filter: ResourceFilter) =>
  infiniteQueryOptions({
    queryKey: ['clouds', 'resources', filter],
    queryFn: ({ pageParam, signal }) =>
      call('listCloudResources', {
        query: { ...listed(filter), limit: pageSize, cursor: pageParam },
        signal,
      }),
    initialPageParam: firstPage,
    getNextPageParam: nextOf,
    placeholderData: keepPreviousData,
  })
