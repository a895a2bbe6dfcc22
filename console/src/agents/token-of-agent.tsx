import { CopyButton } from '../parts/copy-line.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Button } from '../parts/forms.tsx'

export type MadeToken = { token: string; install: string }

type Props = { title: string; made: MadeToken; isJoin: boolean; onClose: () => void }

/** Shows the token and the install command this once. They cannot be shown again, so Escape must not close it. */
export function TokenOfAgent({ title, made: { token, install }, isJoin, onClose }: Props) {
  return (
    <Dialog title={title} onClose={() => undefined}>
      <div className="stack">
        <p>
          {isJoin
            ? 'Put this command into an image or a start script. Each host that runs it enrolls under its own name.'
            : 'Run this command on the host, in a folder that has the agent.'}{' '}
          It has the token, which is not shown again.
        </p>
        <code className="secret-once">{install}</code>
        <div className="bar">
          <CopyButton text={install} word="Copy the command" />
        </div>
        <p className="dim">The token alone, for a service file of your own:</p>
        <code className="secret-once">{token}</code>
        <div className="dialog-actions">
          <CopyButton text={token} word="Copy the token" />
          <Button tone="primary" onClick={onClose}>
            I have it
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
