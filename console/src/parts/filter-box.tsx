import { useCallback, useRef } from 'react'
import { useKey } from '../app/shortcuts.tsx'

type Props = { label: string; value: string; onChange: (value: string) => void; found: number }

/** Narrows what is shown; `/` goes there. */
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
        {value === '' ? '' : `${found} found`}
      </span>
    </div>
  )
}
