import { CopyButton } from './copy-line.tsx'
import { Button } from './forms.tsx'

/** A secret that was just made: shown this once. */
export function SecretOnce({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <div className="stack">
      <p>Copy it now: it is shown this once, and kept nowhere.</p>
      <code className="secret-once">{secret}</code>
      <div className="dialog-actions">
        <CopyButton text={secret} />
        <Button tone="primary" onClick={onClose}>
          I have it
        </Button>
      </div>
    </div>
  )
}
