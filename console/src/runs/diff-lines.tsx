import { plainText } from '../parts/plain-text.ts'
import type { DiffLine } from './line-diff.ts'

const looks = {
  same: { sign: ' ', word: '' },
  added: { sign: '+', word: 'Added: ' },
  removed: { sign: '−', word: 'Removed: ' },
}

/** Lines that were added, removed or stayed. A long line is cut at `maxLength` characters. */
export function DiffLines({
  lines,
  maxLength = 500,
}: {
  lines: readonly DiffLine[]
  maxLength?: number
}) {
  return (
    <ol>
      {lines.map((one, at) => (
        // The lines of a hunk never change.
        // oxlint-disable-next-line react/no-array-index-key
        <Line key={at} line={one} maxLength={maxLength} />
      ))}
    </ol>
  )
}

function Line({ line: { kind, text }, maxLength }: { line: DiffLine; maxLength: number }) {
  const { sign, word } = looks[kind]
  return (
    <li className={`diff-${kind}`}>
      <span className="diff-sign" aria-hidden="true">
        {sign}
      </span>
      <code>
        <span className="visually-hidden">{word}</span>
        {plainText(text.slice(0, maxLength))}
      </code>
    </li>
  )
}
