import { useEffect, useRef, type ReactNode } from 'react'
import { Button } from './forms.tsx'

type Props = {
  title: string
  /** What the browser's tab says, where the heading alone does not tell pages apart. */
  tabTitle?: string
  above?: ReactNode
  actions?: ReactNode
  children?: ReactNode
}

export function PageHead({ title, tabTitle = title, above, actions, children }: Props) {
  useEffect(() => {
    document.title = `${tabTitle} · cloud-control`
  }, [tabTitle])
  return (
    <header className="page-head">
      {above && <div className="crumbs">{above}</div>}
      <div className="page-title-row">
        <h1 tabIndex={-1}>{title}</h1>
        {actions && <div className="actions">{actions}</div>}
      </div>
      {children}
    </header>
  )
}

type MoreProps = {
  query: {
    hasNextPage: boolean
    isFetchingNextPage: boolean
    isFetchNextPageError: boolean
    fetchNextPage: () => Promise<unknown>
  }
}

/** The next page comes as its place comes into sight; the button is for whoever scrolls by no wheel. */
export function LoadMore({ query }: MoreProps) {
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query
  const place = useRef<HTMLDivElement>(null)
  const goesOn = hasNextPage && !isFetchingNextPage && !isFetchNextPageError
  useEffect(() => {
    if (!place.current || !goesOn) return
    const observer = new IntersectionObserver(
      (entries) => {
        // Several at once where the browser was busy, and the last one holds: by the first, a place
        // that came into sight meanwhile would wait for ever.
        if (entries.at(-1)?.isIntersecting) void fetchNextPage()
      },
      { rootMargin: '600px' },
    )
    observer.observe(place.current)
    return () => observer.disconnect()
  }, [goesOn, fetchNextPage])
  if (!hasNextPage) return null
  return (
    <div className="more" ref={place}>
      <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        {isFetchingNextPage ? 'Loading…' : 'Show more'}
      </Button>
    </div>
  )
}
