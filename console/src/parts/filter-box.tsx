import { useCallback, useEffect, useRef, useState } from 'react'
import { useKey } from '../app/shortcuts.tsx'

type Props = { label: string; value: string; onChange: (value: string) => void; found: string }

/** A filter for a list. The shortcut `/` focuses it. `found` is the number of results as text. */
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

/**
 * A filter that is in the address of its page. `write` replaces the address, so that Back leads to
 * the page before and returns to the filtered list.
 */
export function useAddressFilter(
  inAddress: string | undefined,
  write: (q?: string) => void,
  waitMs = typingMs,
) {
  const [filter, setFilter] = useState(inAddress ?? '')
  const [shown, setShown] = useState(inAddress)
  const q = useSettled(filter, waitMs)
  // Another link to the same page, or Back.
  if (shown !== inAddress) {
    setShown(inAddress)
    if ((inAddress ?? '') !== q) setFilter(inAddress ?? '')
  }
  useEffect(() => {
    if (q !== (inAddress ?? '')) write(q === '' ? undefined : q)
    // Only what is typed is written.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [q])
  return { filter, setFilter, q }
}

const typingMs = 200

/** Debounces the input, so that the API gets one request for a word and not one for each letter. */
export function useSettled(value: string, waitMs = typingMs): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value.trim()), value === '' ? 0 : waitMs)
    return () => clearTimeout(timer)
  }, [value, waitMs])
  return settled
}

export const foundWords = (count: number, more = false): string =>
  count === 0 ? 'none found' : `${count}${more ? ' and more' : ''} found`
