import { useMutation, useQueryClient, type QueryKey } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { FormDialog } from '../parts/form-dialog.tsx'
import { SecretOnce } from '../parts/secret-once.tsx'

type Props = {
  title: string
  /** The title after the token is created. */
  made: string
  children: ReactNode
  create: (form: FormData) => Promise<{ token: string }>
  refresh: QueryKey
  onClose: () => void
}

/** Creates a token and shows it once. */
export function SecretDialog({ title, made, children, create, refresh, onClose }: Props) {
  const queryClient = useQueryClient()
  const making = useMutation({
    mutationFn: create,
    onSuccess: async () => queryClient.invalidateQueries({ queryKey: refresh }),
  })
  if (!making.data)
    return (
      <FormDialog
        title={title}
        act="Create token"
        doing={making}
        onSubmit={(form) => making.mutate(form)}
        onClose={onClose}
      >
        {children}
      </FormDialog>
    )
  return (
    <SecretOnce title={made} secret={making.data.token} onClose={onClose}>
      Copy the token now. It cannot be shown again.
    </SecretOnce>
  )
}
