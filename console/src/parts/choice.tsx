import { useId } from 'react'

type Props = {
  name: string
  value: string
  label: string
  words: string
  checked: boolean
  onChange: () => void
}

/** One option of a group, with a sentence that says what it does. */
export function Choice({ name, value, label, words, checked, onChange }: Props) {
  const id = useId()
  return (
    <div className="choice">
      <input
        type="radio"
        id={id}
        name={name}
        value={value}
        checked={checked}
        onChange={onChange}
        aria-describedby={`${id}-words`}
      />
      <div>
        <label htmlFor={id}>{label}</label>
        <p className="hint" id={`${id}-words`}>
          {words}
        </p>
      </div>
    </div>
  )
}
