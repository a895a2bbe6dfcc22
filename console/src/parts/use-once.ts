import { useEffect, useRef } from 'react'

/**
 * Lets one act through until it is over. A button is disabled only once the page is drawn anew, so the
 * second of two quick clicks would else make a second token, which nobody is ever shown.
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
