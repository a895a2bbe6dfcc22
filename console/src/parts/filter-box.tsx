import { useCallback, useEffect, useRef, useState } from 'react'
import { useKey } from '../app/shortcuts.tsx'

type Props = { label: string; value: string; onChange: (value: string) => void; found: string }

/** Narrows what is shown; `/` goes there. `found` says how many there are. */
export function FilterBox({ label, value, onChange, found }: Props) {
  const input = useRef<HTMLInputElement>(null)
  useKey(
    '/',
    useCallback(() => input.current?.focus(), []),
  )
  return (
    <div className="filter">
      <input
        ref={input}
        type="search"
        aria-label={label}
        placeholder={`${label}  /`}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      <span role="status" className="dim num">
        {value === '' ? '' : found}
      </span>
    </div>
  )
}

const typingMs = 200

/** What somebody has typed, once they pause: a list on the server is asked once and not for every letter. */
export function useSettled(value: string): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value.trim()), value === '' ? 0 : typingMs)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}

export const foundWords = (count: number, more = false): string =>
  count === 0 ? 'none found' : `${count}${more ? ' and more' : ''} found`
