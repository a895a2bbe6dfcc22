import type { ReactNode } from 'react'

type Props<Page> = { pages: readonly Page[] | undefined; children: (page: Page) => ReactNode }

/** One list a page: what is out of sight is skipped by whole pages, so 10,000 rows scroll as 200 do. */
export function PagedRows<Page>({ pages = [], children }: Props<Page>) {
  return (
    <div className="rows">
      {pages.map((page, at) => (
        // A page has no name but its place, which it keeps.
        // oxlint-disable-next-line react/no-array-index-key
        <ul key={at} className="rows-page">
          {children(page)}
        </ul>
      ))}
    </div>
  )
}
