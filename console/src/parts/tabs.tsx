import { useEffect, useRef, type ReactNode } from 'react'

/** A row of links. On a narrow screen it scrolls, and the current link is scrolled into view. */
export function Tabs({ label, children }: { label: string; children: ReactNode }) {
  const row = useRef<HTMLElement>(null)
  useEffect(() => {
    const current = row.current?.querySelector<HTMLElement>('[aria-current="page"]')
    if (!row.current || !current) return
    // Sets `scrollLeft`, because `scrollIntoView` would scroll the page too.
    const { offsetLeft, offsetWidth } = current
    const { clientWidth, scrollLeft } = row.current
    if (offsetLeft < scrollLeft || offsetLeft + offsetWidth > scrollLeft + clientWidth)
      row.current.scrollLeft = offsetLeft - (clientWidth - offsetWidth) / 2
  })
  return (
    <nav className="tabs" aria-label={label} ref={row}>
      {children}
    </nav>
  )
}
