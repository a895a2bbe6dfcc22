import { useEffect, useRef, useState } from 'react'
import { Field } from './forms.tsx'

type Props = {
  label: string
  value: string | undefined
  /** Undefined: the field was emptied. */
  onDay: (day: string | undefined) => void
}

/**
 * A day of a filter. One that is typed is taken on Enter or when the field is left: while a year is typed, each digit
 * is another day. One that is picked in the browser's calendar is taken at once.
 */
export function DayField({ label, value = '', onDay }: Props) {
  const [typed, setTyped] = useState(value)
  const [shown, setShown] = useState(value)
  /** The field, if a key was pressed in it since a day was last taken. A pick by the mouse presses none. */
  const keyed = useRef<HTMLInputElement>(null)
  // Another link to the same page, or Back.
  if (shown !== value) {
    setShown(value)
    setTyped(value)
  }
  useEffect(() => {
    if (keyed.current?.validity.badInput) keyed.current.value = value
  }, [value])
  const take = (field: HTMLInputElement) => {
    const day = field.value
    // Half of a date is no day, and no emptied field either.
    if (field.validity.badInput) return
    keyed.current = null
    if (day === value) return
    // Where a page shows days that nobody asked for, an emptied field shows them again.
    if (day === '') setTyped(value)
    onDay(day === '' ? undefined : day)
  }
  const leave = (field: HTMLInputElement) => {
    take(field)
    if (!field.validity.badInput) return
    // React knows no half of a date: to it, the field is empty already. Left there, it would look like a filter.
    field.value = value
    setTyped(value)
    keyed.current = null
  }
  return (
    <Field
      label={label}
      type="date"
      value={typed}
      min="1970-01-01"
      onChange={({ target }) => {
        setTyped(target.value)
        if (!keyed.current && target.value !== '' && target.validity.valid) take(target)
      }}
      onBlur={({ target }) => leave(target)}
      onKeyDown={({ key, currentTarget }) => {
        if (key === 'Enter') take(currentTarget)
        else keyed.current = currentTarget
      }}
    />
  )
}
