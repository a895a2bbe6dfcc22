import { useEffect, useRef, type ReactNode } from 'react'

/** A row of links; on a narrow screen it scrolls, and the one that is open is in sight. */
export function Tabs({ label, children }: { label: string; children: ReactNode }) {
  const row = useRef<HTMLElement>(null)
  useEffect(() => {
    const current = row.current?.querySelector<HTMLElement>('[aria-current="page"]')
    if (!row.current || !current) return
    // By hand: `scrollIntoView` would scroll the page as well.
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
