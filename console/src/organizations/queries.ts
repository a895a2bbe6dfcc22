import { queryOptions } from '@tanstack/react-query'
import { call, type Answer } from '../api/call.ts'

export type OrganizationSettings = Answer<'getSettings'>

export const settingsQuery = queryOptions({
  queryKey: ['organization', 'settings'],
  queryFn: ({ signal }) => call('getSettings', { signal }),
})
