import { useId } from 'react'
import { plainText } from '../parts/plain-text.ts'
import { Scroller } from '../parts/scroller.tsx'
import type { Keep } from './merge-lines.ts'

type Option = { value: Keep; label: string; text?: string }
type Props = {
  legend: string
  /** The lines as they were before both changed them. */
  before?: string
  value: Keep
  options: readonly Option[]
  onChoose: (keep: Keep) => void
}

/** One place that two people changed, with the text of each, and which one stays. */
export function Choice({ legend, before, value, options, onChoose }: Props) {
  const group = useId()
  return (
    <fieldset className="merge-choice">
      <legend>{legend}</legend>
      {before !== undefined && (
        <div>
          <span className="dim">Before</span>
          <Lines text={before} label={`${legend}: before`} />
        </div>
      )}
      {options.map(({ value: keep, label, text }) => (
        <div key={keep}>
          <label className="check">
            <input
              type="radio"
              name={group}
              checked={keep === value}
              onChange={() => onChoose(keep)}
            />
            <span>{label}</span>
          </label>
          {text !== undefined && <Lines text={text} label={`${legend}: ${label}`} />}
        </div>
      ))}
    </fieldset>
  )
}

function Lines({ text, label }: { text: string; label: string }) {
  if (text === '') return <p className="dim">nothing</p>
  return (
    <Scroller className="snippet" label={label}>
      <pre>{plainText(text.slice(0, maxLength))}</pre>
    </Scroller>
  )
}

/** What is shown of a text that could be megabytes long. All of it is kept. */
const maxLength = 20_000
