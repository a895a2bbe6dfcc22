import type { ReactNode } from 'react'

type Props = { label: string; className?: string; children: ReactNode }

/** What is wider than its place scrolls in here and not the page, by keyboard too. */
export function Scroller({ label, className = 'table-box', children }: Props) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- WCAG 2.1.1: else no key scrolls it
    <section className={className} aria-label={label} tabIndex={0}>
      {children}
    </section>
  )
}
