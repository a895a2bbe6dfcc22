import type { ReactNode } from 'react'
import { Button } from './forms.tsx'

type Props = { title: ReactNode; above?: ReactNode; actions?: ReactNode; children?: ReactNode }

export function PageHead({ title, above, actions, children }: Props) {
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
    fetchNextPage: () => Promise<unknown>
  }
}

export function LoadMore({ query }: MoreProps) {
  if (!query.hasNextPage) return null
  return (
    <div className="more">
      <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        {query.isFetchingNextPage ? 'Loading…' : 'Show more'}
      </Button>
    </div>
  )
}
