import { Link } from '@tanstack/react-router'
import { ApiError } from '../api/call.ts'
import { PageHead } from './pages.tsx'

export const isGone = (error: unknown): boolean => error instanceof ApiError && error.status === 404

type Props = {
  what: string
  to:
    | '/workspaces'
    | '/pipelines'
    | '/clouds'
    | '/cost/anomalies'
    | '/cost/units'
    | '/organization/policies'
  list: string
}

/** Shown for a 404: deleted, never existed, or of another organization, which the API does not distinguish. */
export function Gone({ what, to, list }: Props) {
  return (
    <>
      <PageHead title={`There is no such ${what}`} />
      <div className="stack">
        <p>It was deleted, or the address belongs to another organization.</p>
        <p>
          <Link to={to} className="button">
            {list}
          </Link>
        </p>
      </div>
    </>
  )
}
