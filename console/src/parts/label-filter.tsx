import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { labelsQuery } from '../api/queries.ts'
import { useSettled } from './filter-box.tsx'
import { Field } from './forms.tsx'
import { isLabel } from './labels.ts'

type Props = {
  chosen: readonly string[]
  /** What the list holds. The labels that any of these have are offered. */
  of: ReadonlyArray<'workspaces' | 'pipelines'>
  onChange: (labels: string[]) => void
}

/** Narrows a list to what has one of the chosen labels. */
export function LabelFilter({ chosen, of, onChange }: Props) {
  const id = useId()
  const [typed, setTyped] = useState('')
  const [isAsked, setAsked] = useState(false)
  const { data } = useQuery({ ...labelsQuery(useSettled(typed.trim())), enabled: isAsked })
  const offered = new Set(
    data?.labels
      .filter((label) => of.some((kind) => label[kind] > 0))
      .map(({ key, value }) => `${key}=${value}`),
  )
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
        // A list that nobody narrows does not ask for them.
        onFocus={() => setAsked(true)}
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
        {[...offered].map((text) => (
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
          <bdi>{text}</bdi> <span aria-hidden="true">✗</span>
        </button>
      ))}
    </div>
  )
}

const isChoice = (event: Event): boolean =>
  !(event instanceof InputEvent) || event.inputType === 'insertReplacementText'
