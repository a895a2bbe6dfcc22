import { queryOptions } from '@tanstack/react-query'
import { call } from '../api/call.ts'

export const ssoQuery = queryOptions({
  queryKey: ['sso'],
  queryFn: ({ signal }) => call('getSso', { signal }),
})

export const samlTracesQuery = queryOptions({
  queryKey: ['sso', 'traces'],
  queryFn: ({ signal }) => call('listSamlTraces', { signal }),
  refetchInterval: 15_000,
})
