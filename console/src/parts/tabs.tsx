import { useEffect, useRef, type ReactNode } from 'react'

/** A row of links. On a narrow screen it scrolls, and the current link is scrolled into view. */
export function Tabs({ label, children }: { label: string; children: ReactNode }) {
  const row = useRef<HTMLElement>(null)
  useEffect(() => {
    const element = row.current
    if (!element) return
    // It tells after the browser has laid out the page. Asked before, the browser would do that once more.
    const observer = new ResizeObserver(() => {
      showCurrent(element)
      observer.disconnect()
    })
    observer.observe(element)
    return () => observer.disconnect()
  })
  return (
    <nav className="tabs" aria-label={label} ref={row}>
      {children}
    </nav>
  )
}

function showCurrent(row: HTMLElement): void {
  const current = row.querySelector<HTMLElement>('[aria-current="page"]')
  if (!current) return
  // Sets `scrollLeft`, because `scrollIntoView` would scroll the page too.
  const { offsetLeft, offsetWidth } = current
  const { clientWidth, scrollLeft } = row
  if (offsetLeft < scrollLeft || offsetLeft + offsetWidth > scrollLeft + clientWidth)
    row.scrollLeft = offsetLeft - (clientWidth - offsetWidth) / 2
}
