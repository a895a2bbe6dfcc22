import { Icon } from './icon.tsx'
import { runLook, type Shown } from './run-look.ts'

/** The state of a run as a word and an icon, so that it does not depend on color (WCAG 1.4.1). */
export function StateBadge({ run }: { run: Shown }) {
  const { tone, icon, word } = runLook(run)
  return (
    <span className={`badge ${tone}`}>
      <span>
        <Icon name={icon} size={13} />
      </span>
      {word}
    </span>
  )
}
