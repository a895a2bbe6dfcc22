import { useState } from 'react'
import { Field } from './forms.tsx'

type Props = {
  label: string
  value: string | undefined
  /** Undefined: the field was emptied. */
  onDay: (day: string | undefined) => void
}

/** A day of a filter. Taken on Enter or when the field is left: while a year is typed, each digit is another day. */
export function DayField({ label, value = '', onDay }: Props) {
  const [typed, setTyped] = useState(value)
  const [shown, setShown] = useState(value)
  // Another link to the same page, or Back.
  if (shown !== value) {
    setShown(value)
    setTyped(value)
  }
  const take = ({ value: day, validity }: HTMLInputElement) => {
    // Half of a date is no day, and no emptied field either.
    if (validity.badInput || day === value) return
    // Where a page shows days that nobody asked for, an emptied field shows them again.
    if (day === '') setTyped(value)
    onDay(day === '' ? undefined : day)
  }
  return (
    <Field
      label={label}
      type="date"
      value={typed}
      min="1970-01-01"
      onChange={({ target }) => setTyped(target.value)}
      onBlur={({ target }) => take(target)}
      onKeyDown={({ key, currentTarget }) => key === 'Enter' && take(currentTarget)}
    />
  )
}
