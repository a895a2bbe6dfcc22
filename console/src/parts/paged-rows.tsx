import type { ReactNode } from 'react'

type Props<Page> = { pages: readonly Page[] | undefined; children: (page: Page) => ReactNode }

/** One `<ul>` for each page: the browser skips pages outside the viewport, so 10,000 rows scroll as fast as 200. */
export function PagedRows<Page>({ pages = [], children }: Props<Page>) {
  return (
    <div className="rows">
      {pages.map((page, at) => (
        // A page has no id, and its index never changes.
        // oxlint-disable-next-line react/no-array-index-key
        <ul key={at} className="rows-page">
          {children(page)}
        </ul>
      ))}
    </div>
  )
}
