import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { call } from '../api/call.ts'

/** Signs out, also at the identity provider where it has an address for that. */
export function useLogOut() {
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: () => call('logOut', {}),
    onSuccess: async ({ redirectUrl }) => {
      queryClient.clear()
      if (redirectUrl) location.assign(redirectUrl)
      else await navigate({ to: '/login', search: { signedout: 1 } })
    },
  })
}
