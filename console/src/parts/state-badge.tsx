import { runLook, type Shown } from './run-look.ts'

/** The state of a run as a word and a symbol, so that it does not depend on color (WCAG 1.4.1). */
export function StateBadge({ run }: { run: Shown }) {
  const { tone, sign, word } = runLook(run)
  return (
    <span className={`badge ${tone}`}>
      <span aria-hidden="true">{sign}</span>
      {word}
    </span>
  )
}
