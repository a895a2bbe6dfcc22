import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { meQuery } from '../api/queries.ts'
import { sessionIsBack } from '../api/session-over.ts'

/** Goes where one wanted to be, as the person who now is signed in. */
export function useEnter(next: string | undefined) {
  const router = useRouter()
  const queryClient = useQueryClient()
  return async () => {
    queryClient.clear()
    sessionIsBack()
    await queryClient.fetchQuery(meQuery)
    // Only a path of this very site: `next` is in the address, which anybody can write.
    const safe = next && /^\/(?![/\\])/.test(next) ? next : '/'
    router.history.push(safe)
  }
}
