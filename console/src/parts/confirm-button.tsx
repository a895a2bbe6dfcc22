import { useMutation, useQueryClient, type QueryKey } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { Button } from './forms.tsx'

type Props = {
  /** The text of the button. It ends in an ellipsis, because the button opens a dialog. */
  label: string
  /** The accessible name, which includes the object of the row for screen readers. */
  name?: string
  tone?: 'plain' | 'danger'
  title: string
  /** Explains the action and what cannot be undone. */
  children: ReactNode
  act: string
  cancel?: string
  run: () => Promise<unknown>
  /** The queries that are invalidated after the action. */
  refresh: QueryKey
  onDone?: () => Promise<void> | void
}

/** A button for an irreversible action. It asks for confirmation in a dialog, which also shows an error. */
export function ConfirmButton(props: Props) {
  const { label, name, tone = 'plain', title, children, act, cancel, run, refresh, onDone } = props
  const queryClient = useQueryClient()
  const [open, setOpen] = useState(false)
  const doing = useMutation({
    mutationFn: run,
    onSuccess: async () => {
      await onDone?.()
      setOpen(false)
      await queryClient.invalidateQueries({ queryKey: refresh })
    },
  })
  const close = () => {
    setOpen(false)
    doing.reset()
  }
  return (
    <>
      <Button tone={tone} {...(name && { 'aria-label': name })} onClick={() => setOpen(true)}>
        {label}
      </Button>
      {open && (
        <ConfirmDialog
          title={title}
          act={act}
          {...(cancel && { cancel })}
          doing={{ ...doing, mutate: () => doing.mutate() }}
          onClose={close}
        >
          {typeof children === 'string' ? <p>{children}</p> : children}
        </ConfirmDialog>
      )}
    </>
  )
}
