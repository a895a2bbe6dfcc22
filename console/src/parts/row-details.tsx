import { useEffect, useId, useRef, type ReactNode } from 'react'

type Props = { title: ReactNode; children: ReactNode }

/** What a button of a row opened below it. The focus goes to its heading, so that a screen reader reads on there. */
export function RowDetails({ title, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  const id = useId()
  useEffect(() => heading.current?.focus(), [])
  return (
    <section className="row-details" aria-labelledby={id}>
      <h3 id={id} ref={heading} tabIndex={-1}>
        {title}
      </h3>
      {children}
    </section>
  )
}
