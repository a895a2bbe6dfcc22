import { useEffect, useRef } from 'react'

/**
 * Runs one action at a time. A button is disabled only at the next render, so a double click would
 * otherwise send the request twice, for example create a second token that is never shown.
 */
export function useOnce({ isPending }: { isPending: boolean }) {
  const begun = useRef(false)
  useEffect(() => {
    if (!isPending) begun.current = false
  })
  return (act: () => void) => {
    if (begun.current) return
    begun.current = true
    act()
  }
}
