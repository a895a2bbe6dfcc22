import type { ReactNode } from 'react'
import { CopyButton } from './copy-line.tsx'
import { Dialog } from './dialog.tsx'
import { Button } from './forms.tsx'

type Props = { title: string; secret: string; children: ReactNode; onClose: () => void }

/** Shows a secret this once. It cannot be shown again, so Escape must not close the dialog. */
export function SecretOnce({ title, secret, children, onClose }: Props) {
  return (
    <Dialog title={title} onClose={() => undefined}>
      <div className="stack">
        <p>{children}</p>
        <code className="secret-once">{secret}</code>
        <div className="dialog-actions">
          <CopyButton text={secret} />
          <Button tone="primary" onClick={onClose}>
            I have it
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
