import type { ReactNode } from 'react'
import { Dialog } from './dialog.tsx'
import { Button } from './forms.tsx'
import { ErrorNote } from './notes.tsx'

type Props = {
  title: string
  /** What it does, and what it cannot undo. */
  children: ReactNode
  act: string
  tone?: 'primary' | 'danger'
  doing: { isPending: boolean; error: Error | null; mutate: () => void }
  onClose: () => void
}

/** Before what locks people out or cannot be taken back. */
export function ConfirmDialog({ title, children, act, tone = 'danger', doing, onClose }: Props) {
  return (
    <Dialog open onOpenChange={onClose} title={title} description={children}>
      <ErrorNote error={doing.error} />
      <div className="dialog-actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button tone={tone} busy={doing.isPending} onClick={() => doing.mutate()}>
          {act}
        </Button>
      </div>
    </Dialog>
  )
}
