import { useEffect, useRef, type ReactNode } from 'react'
import { Button } from './forms.tsx'

type Props = {
  title: string
  /** The title of the browser tab, if the heading is not unique. */
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
  /** Only by the button: something stands below the list. */
  byHand?: boolean
  query: {
    hasNextPage: boolean
    isFetchingNextPage: boolean
    isFetchNextPageError: boolean
    fetchNextPage: () => Promise<unknown>
  }
}

/** Loads the next page when the end of the list scrolls into view. The button serves keyboard users. */
export function LoadMore({ query, byHand = false }: MoreProps) {
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query
  const place = useRef<HTMLDivElement>(null)
  const goesOn = !byHand && hasNextPage && !isFetchingNextPage && !isFetchNextPageError
  useEffect(() => {
    if (!place.current || !goesOn) return
    const observer = new IntersectionObserver(
      (entries) => {
        // A busy browser delivers several entries at once, and only the last one is current. With an
        // earlier one, an element that has become visible since would never load its page.
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
