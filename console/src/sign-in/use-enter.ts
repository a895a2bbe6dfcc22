import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { meQuery } from '../api/queries.ts'
import { sessionIsBack } from '../api/session-over.ts'
import { safePath } from './safe-path.ts'

/** Opens the page that the person requested before the sign-in, with an empty cache. */
export function useEnter(next: string | undefined) {
  const router = useRouter()
  const queryClient = useQueryClient()
  return async () => {
    queryClient.clear()
    sessionIsBack()
    await queryClient.fetchQuery(meQuery)
    router.history.push(safePath(next))
  }
}
