import type { ReactNode } from 'react'

type Props = { label: string; className?: string; children: ReactNode }

/** Scrolls wide content inside a section, so that the page itself does not scroll sideways. */
export function Scroller({ label, className = 'table-box', children }: Props) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- WCAG 2.1.1: the keyboard must be able to scroll it
    <section className={className} aria-label={label} tabIndex={0}>
      {children}
    </section>
  )
}
