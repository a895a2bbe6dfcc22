import { Icon } from './icon.tsx'
import type { Look } from './run-look.ts'

/** A state as a word and an icon, so that it does not depend on color (WCAG 1.4.1). */
export function LookBadge({ look: { tone, icon, word } }: { look: Look }) {
  return (
    <span className={`badge ${tone}`}>
      <span>
        <Icon name={icon} size={13} />
      </span>
      {word}
    </span>
  )
}
