import { useState } from 'react'
import { plainText } from '../parts/plain-text.ts'
import type { DiffLine } from './line-diff.ts'

const looks = {
  same: { sign: ' ', word: '' },
  added: { sign: '+', word: 'Added: ' },
  removed: { sign: '−', word: 'Removed: ' },
}

/** The limit of a hook. A manifest and the files of a workspace seldom have a longer line. */
const wholeLength = 65_536

/**
 * Lines that were added, removed or stayed. A line is shown to its end: cut off, it would hide a command from an
 * approver behind enough spaces. What is above `maxLength` characters is left out with a note and a button.
 */
export function DiffLines({
  lines,
  maxLength = wholeLength,
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
  const [whole, setWhole] = useState(false)
  const start = whole ? text : startOf(text, maxLength)
  const left = text.length - start.length
  return (
    <li className={`diff-${kind}`}>
      <span className="diff-sign" aria-hidden="true">
        {sign}
      </span>
      <code>
        <span className="visually-hidden">{word}</span>
        {plainText(start)}
        {left > 0 && (
          <button type="button" className="link" onClick={() => setWhole(true)}>
            {`… ${left.toLocaleString('en')} more ${left === 1 ? 'character' : 'characters'}`}
          </button>
        )}
      </code>
    </li>
  )
}

/** One unit of UTF-16 less where the last one would be half of a character. */
const startOf = (text: string, maxLength: number): string =>
  text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, '')
