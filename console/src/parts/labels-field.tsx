import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { labelsQuery } from '../api/queries.ts'
import { useSettled } from './filter-box.tsx'
import { TextField } from './forms.tsx'
import { fitting, lastLine, linesOf, readLabels, withLine } from './labels.ts'
import { plainLine } from './plain-text.ts'

export const descriptionLength = 500

const mostOffered = 8

type Props = {
  labels: Record<string, string>
  /** An offered label was taken, which is no event of the form. */
  onTouch?: () => void
}

/** Labels as lines. A line that is no label is refused before the form is sent. Those in use are offered. */
export function LabelsField({ labels, onTouch }: Props) {
  const field = useRef<HTMLTextAreaElement>(null)
  const [text, setText] = useState(() => `${linesOf(labels)}\n`.trimStart())
  const q = useSettled(lastLine(text))
  const { data } = useQuery(labelsQuery(q))
  const used = data?.labels.map(({ key, value }) => `${key}=${value}`) ?? []
  const offered = fitting(text, used).slice(0, mostOffered)
  useEffect(() => {
    const read = readLabels(text)
    field.current?.setCustomValidity('fault' in read ? read.fault : '')
  }, [text])
  return (
    <div>
      <TextField
        label="Labels"
        name="labels"
        value={text}
        inputRef={field}
        spellCheck={false}
        hint="One a line, as team=payments. Lists can be narrowed to them. At most 20."
        onChange={({ currentTarget: { value } }) => setText(value)}
      />
      {offered.length > 0 && (
        <p className="offered-labels">
          <span className="hint">In use:</span>
          {offered.map((label) => (
            <button
              key={label}
              type="button"
              className="tag label chosen"
              aria-label={`Add the label ${label}`}
              onClick={() => {
                setText(withLine(text, label))
                onTouch?.()
                field.current?.focus()
              }}
            >
              <bdi>{plainLine(label)}</bdi>
            </button>
          ))}
        </p>
      )}
    </div>
  )
}

/** What changed of the labels and the description of a form. */
export function describedIn(
  { labels: text, description }: { labels: string; description: string },
  was: { labels: Record<string, string>; description: string },
): { labels?: Record<string, string>; description?: string } {
  const read = readLabels(text)
  const isOther = 'labels' in read && linesOf(read.labels) !== linesOf(was.labels)
  return {
    ...(isOther && { labels: read.labels }),
    ...(description !== was.description && { description }),
  }
}
