import { useId, useState } from 'react'
import { useOptions } from './use-options.ts'

export type Named = { id: number; name: string }

type Props = {
  label: string
  /** Shown while nothing is chosen. */
  placeholder?: string
  /** The name of what is chosen; undefined if nothing is. */
  chosen: string | undefined
  /** What is found for the typed text. */
  options: readonly Named[]
  /** With the typed text; undefined when the list closes. */
  onType: (text: string | undefined) => void
  onChoose: (id: number | undefined) => void
}

/** Chooses one of many by its name. Leaving the field without a choice restores what was chosen. */
export function NamePicker(props: Props) {
  const { label, placeholder = 'all', chosen, options, onType, onChoose } = props
  const id = useId()
  // Undefined while nobody types.
  const [typed, setTyped] = useState<string>()
  const isOpen = typed !== undefined
  const shown = isOpen ? options : []
  const type = (text: string | undefined) => {
    setTyped(text)
    onType(text)
  }
  const pick = (at: number) => {
    const option = shown[at]
    if (!option) return
    type(undefined)
    onChoose(option.id)
  }
  const { at, setActive, onKeyDown, activeId } = useOptions({
    id,
    count: shown.length,
    onPick: pick,
  })
  return (
    <div className="field picker">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        role="combobox"
        type="search"
        aria-autocomplete="list"
        aria-expanded={isOpen && shown.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={isOpen ? activeId : undefined}
        autoComplete="off"
        placeholder={placeholder}
        value={typed ?? chosen ?? ''}
        onChange={({ target: { value } }) => {
          setActive(0)
          type(value)
          if (value === '') onChoose(undefined)
        }}
        onKeyDown={(event) => {
          const opens = event.key === 'ArrowDown' && !isOpen
          if (!opens && !(event.key === 'Escape' && isOpen)) return onKeyDown(event)
          event.preventDefault()
          type(opens ? '' : undefined)
        }}
        onBlur={() => type(undefined)}
      />
      <Options id={id} label={label} shown={shown} at={at} onPoint={setActive} onPick={pick} />
      <span role="status" className="visually-hidden">
        {isOpen && (shown.length === 0 ? 'none found' : `${shown.length} found`)}
      </span>
    </div>
  )
}

type OptionsProps = {
  id: string
  label: string
  shown: readonly Named[]
  at: number
  onPoint: (at: number) => void
  onPick: (at: number) => void
}

function Options({ id, label, shown, at, onPoint, onPick }: OptionsProps) {
  return (
    <div
      id={`${id}-list`}
      role="listbox"
      aria-label={label}
      className="picker-list"
      hidden={shown.length === 0}
    >
      {shown.map((option, n) => (
        // The keys are those of the field.
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
        <div
          key={option.id}
          id={`${id}-${n}`}
          role="option"
          tabIndex={-1}
          aria-selected={n === at}
          className="picker-option"
          // Otherwise the field would lose the focus, and the list, before the click.
          onMouseDown={(event) => event.preventDefault()}
          onMouseMove={() => onPoint(n)}
          onClick={() => onPick(n)}
        >
          {option.name}
        </div>
      ))}
    </div>
  )
}
