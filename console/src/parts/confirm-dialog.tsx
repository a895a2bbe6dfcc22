import type { ReactNode } from 'react'
import { Dialog } from './dialog.tsx'
import { Button } from './forms.tsx'
import { ErrorNote } from './notes.tsx'
import { useOnce } from './use-once.ts'

type Props = {
  title: string
  /** What it does, and what it cannot undo. */
  children: ReactNode
  act: string
  tone?: 'primary' | 'danger'
  cancel?: string
  doing: { isPending: boolean; error: Error | null; mutate: () => void }
  onClose: () => void
}

/** Before what locks people out or cannot be taken back. No form, so that it may stand in one. */
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
