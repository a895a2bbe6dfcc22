import { useMutation, useQueryClient, type QueryKey } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { Button } from './forms.tsx'

type Props = {
  /** The word on the button; it asks first, so it ends in an ellipsis. */
  label: string
  /** Which one, for whoever hears the button and does not see its row. */
  name?: string
  tone?: 'plain' | 'danger'
  title: string
  /** What it does, and what it cannot undo. */
  children: ReactNode
  act: string
  cancel?: string
  run: () => Promise<unknown>
  /** What is looked at again once it is done. */
  refresh: QueryKey
  onDone?: () => Promise<void> | void
}

/** A button for what cannot be taken back: it asks in the console's own dialog, and says there why it failed. */
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
