import type { ReactNode } from 'react'
import { useCurrentInView } from './use-current-in-view.ts'

/** A row of links. On a narrow screen it scrolls, and the current link is scrolled into view. */
export function Tabs({ label, children }: { label: string; children: ReactNode }) {
  const row = useCurrentInView()
  return (
    <nav className="tabs" aria-label={label} ref={row}>
      {children}
    </nav>
  )
}
