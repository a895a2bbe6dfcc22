import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMe } from '../app/session.ts'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { PagedRows } from '../parts/paged-rows.tsx'
import { LoadMore } from '../parts/pages.tsx'
import { policiesQuery } from './queries.ts'
import { UnseenPlans } from './unseen-plans.tsx'

/** The policies that every plan is checked against. */
export function PoliciesPage() {
  const { may } = useMe()
  const query = useInfiniteQuery(policiesQuery)
  const policies = query.data?.pages.flatMap((page) => page.policies) ?? []
  const create = may('manage_users_sso') && (
    <Link to="/organization/policies/new" className="button primary">
      New policy
    </Link>
  )
  return (
    <>
      <ErrorNote error={query.error} goesOn />
      {query.isPending && <Loading what="policies" />}
      {query.isSuccess && policies.length === 0 && (
        <Empty title="No policies yet">
          <p>A policy in Rego checks each plan before it can be applied, and denies it or warns.</p>
          {create || <p>An Org Admin writes the first one.</p>}
        </Empty>
      )}
      {policies.length > 0 && (
        <div className="list-head">
          <p className="dim">
            Each plan is checked against these policies before it can be applied.
          </p>
          {create}
        </div>
      )}
      <PagedRows pages={query.data?.pages}>
        {(page) =>
          page.policies.map((policy) => (
            <li key={policy.id}>
              <div className="row">
                <span className="row-main">
                  <span className="row-title">
                    <strong>{policy.name}</strong>
                    <span className={`tag ${policy.enforcement === 'mandatory' ? 'bad' : ''}`}>
                      {policy.enforcement}
                    </span>
                  </span>
                  <span className="row-sub">
                    {typeof policy.workspaces === 'string'
                      ? `${policy.workspaces} workspaces`
                      : `${policy.workspaces.length} chosen workspaces`}
                    , version {policy.version}
                  </span>
                </span>
                <Link
                  to="/organization/policies/$id"
                  params={{ id: policy.id }}
                  className="button"
                  aria-label={`Open ${policy.name}`}
                >
                  Open
                </Link>
              </div>
            </li>
          ))
        }
      </PagedRows>
      <LoadMore query={query} />
      {may('manage_users_sso') && <UnseenPlans />}
    </>
  )
}
