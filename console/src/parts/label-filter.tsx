import { useId, useState } from 'react'
import { isLabel, linesOf } from './labels.ts'
import { Field } from './forms.tsx'

type Props = {
  chosen: readonly string[]
  /** The labels of what the list shows, which are offered. */
  rows: ReadonlyArray<{ labels: Record<string, string> }>
  onChange: (labels: string[]) => void
}

/** Narrows a list to what has one of the chosen labels. */
export function LabelFilter({ chosen, rows, onChange }: Props) {
  const id = useId()
  const [typed, setTyped] = useState('')
  const offered = new Set(rows.flatMap(({ labels }) => linesOf(labels).split('\n')))
  const add = (text: string) => {
    if (!isLabel(text)) return
    setTyped('')
    if (!chosen.includes(text)) onChange([...chosen, text])
  }
  return (
    <div className="label-filter">
      <Field
        label="Label"
        type="search"
        list={id}
        autoComplete="off"
        maxLength={164}
        placeholder="team=payments"
        value={typed}
        onChange={({ target: { value }, nativeEvent }) =>
          // A choice from the list comes as a whole. What is typed may still grow: tier=1 to tier=10.
          offered.has(value) && isChoice(nativeEvent) ? add(value) : setTyped(value)
        }
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          add(typed.trim())
        }}
      />
      <datalist id={id}>
        {[...offered]
          .filter(Boolean)
          .slice(0, 50)
          .map((text) => (
            <option key={text} value={text} />
          ))}
      </datalist>
      {chosen.map((text) => (
        <button
          key={text}
          type="button"
          className="tag label chosen"
          aria-label={`Remove the label ${text}`}
          onClick={() => onChange(chosen.filter((one) => one !== text))}
        >
          <bdi>{text}</bdi> <span aria-hidden="true">✕</span>
        </button>
      ))}
    </div>
  )
}

const isChoice = (event: Event): boolean =>
  !(event instanceof InputEvent) || event.inputType === 'insertReplacementText'
