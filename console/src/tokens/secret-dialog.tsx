import { useMutation, useQueryClient, type QueryKey } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { CopyButton } from '../parts/copy-line.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Button } from '../parts/forms.tsx'

type Props = {
  title: string
  /** The title after the token is created. */
  made: string
  children: ReactNode
  create: (form: FormData) => Promise<{ token: string }>
  refresh: QueryKey
  onClose: () => void
}

/** Creates a token and shows it once. The token cannot be shown again, so Escape must not close the dialog. */
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
  const { token } = making.data
  return (
    <Dialog title={made} onClose={() => undefined}>
      <div className="stack">
        <p>Copy the token now. It cannot be shown again.</p>
        <code className="secret-once">{token}</code>
        <div className="dialog-actions">
          <CopyButton text={token} />
          <Button tone="primary" onClick={onClose}>
            I have it
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
