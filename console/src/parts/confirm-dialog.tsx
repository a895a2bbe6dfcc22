import type { ReactNode } from 'react'
import { Dialog } from './dialog.tsx'
import { Button } from './forms.tsx'
import { ErrorNote } from './notes.tsx'
import { useOnce } from './use-once.ts'

type Props = {
  title: string
  /** Explains the action and what cannot be undone. */
  children: ReactNode
  act: string
  tone?: 'primary' | 'danger'
  cancel?: string
  doing: { isPending: boolean; error: Error | null; mutate: () => void }
  onClose: () => void
}

/** Asks for confirmation of an irreversible action. Contains no form, so that it can be used inside a form. */
export function ConfirmDialog(props: Props) {
  const { title, children, act, tone = 'danger', cancel = 'Cancel', doing, onClose } = props
  const once = useOnce(doing)
  return (
    <Dialog onClose={onClose} title={title} description={children}>
      <ErrorNote error={doing.error} />
      <div className="dialog-actions">
        <Button onClick={onClose}>{cancel}</Button>
        <Button tone={tone} busy={doing.isPending} onClick={() => once(doing.mutate)}>
          {act}
        </Button>
      </div>
    </Dialog>
  )
}
