import type { ReactNode } from 'react'
import { Dialog } from './dialog.tsx'
import { Button } from './forms.tsx'

type Props = { title: string; children: ReactNode; onClose: () => void }

/** Instead of a dialog whose question another person has answered, or changed, while it was open. */
export function ChangedMeanwhile({ title, children, onClose }: Props) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="stack">
        {children}
        <div className="dialog-actions">
          <Button tone="primary" onClick={onClose}>
            Go on
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

/** For a setting that is already as the dialog would have made it. */
export function AlreadySo({ onClose }: { onClose: () => void }) {
  return (
    <ChangedMeanwhile title="This setting changed meanwhile" onClose={onClose}>
      <p>It is already as you want it, so there is nothing left to do.</p>
    </ChangedMeanwhile>
  )
}
