import { useSuspenseQuery } from '@tanstack/react-query'
import { meQuery } from '../api/queries.ts'
import type { Capability } from '../api/types.ts'

/** The person who is signed in. Only for pages inside the shell, which requires a session. */
export function useMe() {
  const { data } = useSuspenseQuery(meQuery)
  const label = data.user.email ?? data.user.name
  return {
    ...data,
    label,
    may: (capability: Capability) => data.user.capabilities.includes(capability),
  }
}
